import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SaasApp, startSaasApp } from '@mortise-examples/saas-app'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { createAuthorizationServer } from '@mortise-examples/sample-crm/authorization-server'
import { sql } from 'kysely'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { build } from '../../packages/connect/scripts/build.mjs'
import { axeFindings, fitsWindow } from '../../packages/connect/src/page-checks.testkit.ts'
import { sampleCrmProviders } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { publishDue } from '../../packages/server/src/kernel/work/index.ts'
import { chromiumPath } from '../../packages/server/src/testkit/chromium.ts'
import { freePort } from '../../packages/server/src/testkit/free-port.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { type BuilderPage, startBuilderPage } from './builder-page.testkit.ts'
import { allowKeysOnly } from './keyboard.testkit.ts'

/** The service, the CRM, a product and a browser, for the journeys of customers. */
export interface JourneyKit {
  app: TestApp
  /** Origin of the service in the browser. */
  url: string
  crm: SampleCrm
  /** The example product, whose Integrations page has the components. */
  harbor: SaasApp
  builder: BuilderPage
  browser: Browser
  /** Errors of pages and of their policies; expected to be empty at the end. */
  failures: string[]
  /** Calls an endpoint of the project and expects success. */
  ok<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>
  /** Creates a connect session of a group. */
  session(groupRef: string, body?: object): Promise<{ id: string; url: string; token: string }>
  /** Connects an account with the key of the CRM. Returns its id. */
  connect(groupRef: string): Promise<string>
  /** Installs the integration on a new account. */
  install(groupRef: string): Promise<{ id: string; connectionId: string }>
  /** Returns the installations of a group. */
  installations(groupRef: string): Promise<StoredInstallation[]>
  /** Makes the scheduled reads of an installation due now. */
  makeDue(installationId: string): Promise<void>
  /** Opens a window of a new person, whose windows are watched for errors. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
  /** Opens it for a person who has no mouse: another way than keys is an error. */
  openForKeys(url: string): Promise<Page>
  context(options?: BrowserContextOptions): Promise<BrowserContext>
  /** Expects that axe finds nothing in light and dark, and that the page fits 320 pixels. */
  check(page: Page): Promise<void>
  stop(): Promise<void>
}

export interface StoredInstallation {
  id: string
  connection: { id: string; status: string }
  config: {
    content: {
      read: {
        objects: Record<
          string,
          {
            selectedFields?: Record<string, boolean>
            selectedFieldMappings?: Record<string, string>
            selectedValueMappings?: Record<string, Record<string, string>>
          }
        >
      }
    }
  }
}

const client = { clientId: 'mortise', clientSecret: 'mortise-secret' }
export const scopes = ['contacts.read', 'companies.read', 'contacts.write']
/** Addresses of the CRM in its provider file. */
const usualCrmUrl = 'http://127.0.0.1:4200'

/** @param customers ids of the customers of Harbor */
export async function startJourneyKit({
  customers = ['acme'],
}: {
  customers?: readonly string[]
} = {}): Promise<JourneyKit> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-journeys-'))
  const assets = join(folder, 'assets')
  const [port, browser] = await Promise.all([
    freePort(),
    chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] }),
    build({ outDir: assets }),
  ])
  const url = `http://localhost:${port}`
  const crm = await startSampleCrm({
    contacts: 250,
    rateLimit: 0,
    authorization: createAuthorizationServer({
      applications: [{ ...client, name: 'Harbor', redirectUris: [`${url}/callbacks/v1/oauth`] }],
    }),
  })
  await writeProviders(folder, crm.url)
  const app = await startTestApp({
    connectAssetsFolder: assets,
    env: { PORT: String(port), MORTISE_PUBLIC_URL: url, MORTISE_PROVIDERS_DIR: folder },
  })
  let webhookSecret = ''
  const harbor = await startSaasApp({
    mortiseUrl: url,
    apiKey: app.apiKey,
    webhookSecret: () => webhookSecret,
    customers: customers.map((id) => ({ id, name: id, person: { id: `ada@${id}.example`, name: 'Ada' } })),
  })
  const builder = await startBuilderPage(url)
  const failures: string[] = []
  const kit: JourneyKit = {
    app,
    url,
    crm,
    harbor,
    builder,
    browser,
    failures,
    async ok(method, path, body) {
      const answer = await app.call(method, `/projects/default${path}`, body)
      expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
      return answer.body as never
    },
    session: (groupRef, body = {}) =>
      kit.ok('POST', '/connect-sessions', {
        groupRef,
        groupName: groupRef,
        consumerRef: `ada@${groupRef}.example`,
        ...(!('purpose' in body) && { provider: 'sampleCrm' }),
        ...body,
      }),
    async connect(groupRef) {
      const { id } = await kit.ok<{ id: string }>('POST', '/connections:generate?verify=true', {
        groupRef,
        consumerRef: `ada@${groupRef}.example`,
        provider: 'sampleCrm',
        apiKey: crm.apiKey,
        providerMetadata: { url: crm.url },
      })
      return id
    },
    async install(groupRef) {
      const connectionId = await kit.connect(groupRef)
      const { id } = await kit.ok<{ id: string }>('POST', '/integrations/crmSync/installations', {
        groupRef,
        connectionId,
        config: { content: { provider: 'sampleCrm', read: { objects: { contacts: chosenContacts } } } },
      })
      return { id, connectionId }
    },
    installations: (groupRef) => kit.ok('GET', `/integrations/crmSync/installations?groupRef=${groupRef}`),
    async makeDue(installationId) {
      await sql`update read_states set next_run_at = now() - interval '1 minute'
                 where project_id = ${app.projectId} and installation_id = ${installationId}`.execute(app.db.sql)
      await publishDue({ sql: app.testDatabase.database.system }, 'reading.schedule')
    },
    async context(options = {}) {
      const context = await browser.newContext({
        viewport: { width: 800, height: 900 },
        reducedMotion: 'reduce',
        locale: 'en-US',
        ...options,
      })
      context.setDefaultTimeout(Number(process.env['JT'] ?? 30_000))
      context.on('weberror', (error) => failures.push(String(error.error())))
      context.on('console', (message) => {
        // Refused input is a response, which the browser logs by its status.
        if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) failures.push(message.text())
      })
      return context
    },
    async open(address, options) {
      const page = await (await kit.context(options)).newPage()
      await page.goto(address)
      return page
    },
    async openForKeys(address) {
      const context = await kit.context()
      await allowKeysOnly(context)
      const page = await context.newPage()
      await page.goto(address)
      return page
    },
    async check(page) {
      const size = page.viewportSize() ?? { width: 800, height: 900 }
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await axeFindings(page), colorScheme).toEqual([])
      }
      await page.setViewportSize({ width: 320, height: 640 })
      expect(await fitsWindow(page), 'fits 320 pixels').toBe(true)
      await page.setViewportSize(size)
    },
    async stop() {
      await browser.close()
      await Promise.all([harbor.close(), builder.close()])
      app.app.http.server.closeAllConnections()
      await app.stop()
      await crm.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  webhookSecret = await setUp(kit)
  return kit
}

/** What `install` chooses. */
export const chosenContacts = {
  objectName: 'contacts',
  selectedFields: { score: true, vip: true },
  selectedFieldMappings: { level: 'plan', lifecycle: 'stage' },
}

/**
 * Does what a builder does once: name, frames, destination, provider app and manifest. Returns the secret of the
 * destination.
 */
async function setUp({ ok, harbor, builder }: JourneyKit): Promise<string> {
  const project = { appName: 'Harbor', connect: { frameOrigins: [builder.origin, harbor.url] } }
  await ok('PATCH', '', { updateMask: ['appName', 'connect'], project })
  await ok('POST', '/destinations', {
    name: 'demoWebhook',
    type: 'webhook',
    metadata: { url: harbor.webhookUrl },
  })
  await ok('POST', '/provider-apps', { provider: 'sampleCrm', ...client, scopes })
  await ok('PUT', '/integrations:batch', { sourceYaml: JSON.stringify(manifest) })
  const { secrets } = await ok<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    '/destinations/demoWebhook?includeSecrets=true',
  )
  return secrets.webhookSigningKey
}

const manifest = {
  specVersion: '1.0.0',
  integrations: [
    {
      name: 'crmSync',
      displayName: 'Contact sync',
      provider: 'sampleCrm',
      read: {
        objects: [
          {
            objectName: 'contacts',
            destination: 'demoWebhook',
            schedule: '* * * * *',
            requiredFields: [
              { fieldName: 'email' },
              { mapToName: 'level', mapToDisplayName: 'Level', prompt: 'Which field holds the plan of a contact?' },
            ],
            optionalFields: [
              {
                mapToName: 'lifecycle',
                mapToDisplayName: 'Lifecycle stage',
                prompt: 'Which field tells how far you are with a contact?',
                default: 'stage',
              },
            ],
            optionalFieldsAuto: 'all',
            backfill: { defaultPeriod: { fullHistory: true } },
          },
          {
            objectName: 'companies',
            destination: 'demoWebhook',
            schedule: '0 3 * * *',
            requiredFields: [{ fieldName: 'name' }],
            optionalFieldsAuto: 'all',
            backfill: { defaultPeriod: { fullHistory: true } },
          },
        ],
      },
      write: { objects: [{ objectName: 'contacts', inheritMapping: true }] },
    },
  ],
}

/** The CRM at its address, and the same with a key only. */
async function writeProviders(folder: string, crmUrl: string): Promise<void> {
  const file = (await readFile(join(sampleCrmProviders, 'sampleCrm.yaml'), 'utf8')).replaceAll(usualCrmUrl, crmUrl)
  await writeFile(join(folder, 'sampleCrm.yaml'), file)
}

/** Signs in at the CRM, and agrees to what stays checked. */
export async function allowAccess(page: Page, without: readonly string[] = []): Promise<void> {
  await page.getByLabel('Email address').fill('ada@acme.example')
  await page.getByLabel('Password').fill('acme')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Harbor asks for access' }).waitFor()
  for (const scope of without) await page.getByLabel(scope).uncheck()
  await page.getByRole('button', { name: 'Allow access' }).click()
}
