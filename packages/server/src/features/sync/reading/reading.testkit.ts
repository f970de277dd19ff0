import { fileURLToPath } from 'node:url'
import { type SampleCrm, type SampleCrmOptions, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { publishDue } from '../../../kernel/work/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

/** The folder of the CRM’s provider file. */
export const sampleCrmProviders = fileURLToPath(
  new URL('../../../../../../examples/sample-crm/providers', import.meta.url),
)

/**
 * A service with a CRM to read from and a receiver to deliver to; integrations are deployed and installed by the tests.
 */
export interface ReadingKit {
  app: TestApp
  crm: SampleCrm
  receiver: WebhookReceiver
  /** The folder of the CRM's provider file, for further nodes. */
  providersDir: string
  /** Deploys contacts (and what `objects` adds) under a name of its own, connects a group and installs; answers ids. */
  install(options?: InstallOptions): Promise<Installed>
  /** Connects the account of an installation again, with the right key. */
  reconnect(installed: Installed): Promise<void>
  /** Makes the scheduled reads of an installation due now. */
  makeDue(installationId: string): Promise<void>
  /** Operations of an installation, newest first. */
  operations(installed: Installed): Promise<OperationAnswer[]>
  /** Waits until nobody asks the CRM for anything: what is ordered of it next, the next request of the test gets. */
  quiet(): Promise<void>
  /** Waits until a condition on the service holds, at most for a minute. */
  until<T>(ask: () => Promise<T | undefined | false>): Promise<T>
  stop(): Promise<void>
}

export interface InstallOptions {
  /** Keys of the contacts object in the manifest. */
  object?: Record<string, unknown>
  /** Keys of the contacts object in the config. */
  config?: Record<string, unknown>
  apiKey?: string
  /** Address of the CRM; its own when absent. */
  url?: string
  skipSampling?: boolean
}

export interface Installed {
  integrationId: string
  installationId: string
  connectionId: string
  groupRef: string
  name: string
}

export interface OperationAnswer {
  id: string
  status: string
  result?: string
  resource?: string
  metadata?: { progress?: { recordsProcessed: number } }
}

/**
 * The CRM's clock is ten seconds behind: a window leaves its last two seconds to the next read, and what a test changes
 * is older than that without waiting.
 */
export function crmNow(): number {
  return Date.now() - 10_000
}

export async function startReadingKit(
  crmOptions: SampleCrmOptions = {},
  env: Record<string, string> = {},
): Promise<ReadingKit> {
  const app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, ...env } })
  const crm = await startSampleCrm({ contacts: 250, rateLimit: 0, clock: crmNow, ...crmOptions })
  const receiver = await startWebhookReceiver({ storeBodies: true })
  const destination = await app.call('POST', '/projects/default/destinations', {
    name: 'hook',
    type: 'webhook',
    metadata: { url: receiver.url },
  })
  if (destination.status !== 201) throw new Error(JSON.stringify(destination.body))
  let count = 0
  const connect = (groupRef: string, apiKey: string, url = crm.url) =>
    expectOk(
      app.call('POST', '/projects/default/connections:generate?verify=true', {
        groupRef,
        consumerRef: `${groupRef}-user`,
        provider: 'sampleCrm',
        apiKey,
        providerMetadata: { url },
      }),
    )
  const kit: ReadingKit = {
    app,
    crm,
    receiver,
    providersDir: sampleCrmProviders,
    async install({ object = {}, config = {}, apiKey = crm.apiKey, url, skipSampling = false } = {}) {
      count++
      const name = `crm${count}`
      const groupRef = `group${count}`
      await deploy(app, name, object)
      const integration = await expectOk(app.call('GET', `/projects/default/integrations/${name}`))
      const connection = await connect(groupRef, apiKey, url)
      const installation = await expectOk(
        app.call('POST', `/projects/default/integrations/${name}/installations?skipSampling=${skipSampling}`, {
          groupRef,
          connectionId: connection.id,
          config: {
            content: { provider: 'sampleCrm', read: { objects: { contacts: { objectName: 'contacts', ...config } } } },
          },
        }),
      )
      return {
        integrationId: integration.id,
        installationId: installation.id,
        connectionId: connection.id,
        groupRef,
        name,
      }
    },
    async reconnect({ groupRef }) {
      await connect(groupRef, crm.apiKey)
    },
    async makeDue(installationId) {
      await sql`update read_states set next_run_at = now() - interval '1 minute'
                 where project_id = ${app.projectId} and installation_id = ${installationId}`.execute(app.db.sql)
      await publishDue({ sql: app.testDatabase.database.system }, 'reading.schedule')
    },
    async operations({ name, installationId }) {
      const { body } = await app.call<{ results: OperationAnswer[] }>(
        'GET',
        `/projects/default/integrations/${name}/installations/${installationId}/operations`,
      )
      return body.results
    },
    async quiet() {
      await kit.until(async () => {
        const { rows } = await sql`
          select from read_runs where next_attempt_at <= now() + interval '10 s'
          union all
          select from read_states where fence is not null or (next_run_at <= now() and paused is null)
          union all
          select from mortise_jobs.job where name = 'connections.verify' and state < 'completed'`.execute(
          app.testDatabase.database.system,
        )
        return rows.length === 0
      })
    },
    async until(ask) {
      const givenUpAt = Date.now() + 60_000
      for (;;) {
        const found = await ask()
        if (found) return found
        if (Date.now() > givenUpAt) throw new Error('the condition did not come true in time')
        await breathe(app)
      }
    },
    async stop() {
      await app.stop()
      await Promise.all([crm.close(), receiver.close()])
    },
  }
  return kit
}

/** Between two questions: in the database, so that asking does not take the processor from what is waited for. */
async function breathe(app: TestApp): Promise<void> {
  await sql`select pg_sleep(0.02)`.execute(app.db.sql)
}

/** Every four years. */
export const rarely = '0 0 29 2 *'

/** Deploys an integration that reads contacts. */
export async function deploy(
  app: TestApp,
  name: string,
  object: Record<string, unknown> = {},
  destructive = false,
  provider = 'sampleCrm',
  parts: Record<string, unknown> = {},
): Promise<void> {
  const contacts = {
    objectName: 'contacts',
    destination: 'hook',
    // Never due by itself while a test runs.
    schedule: rarely,
    requiredFields: [{ fieldName: 'email' }],
    optionalFieldsAuto: 'all',
    ...object,
  }
  const manifest = {
    specVersion: '1.0.0',
    integrations: [{ name, provider, read: { objects: [contacts] }, ...parts }],
  }
  const answer = await app.call('PUT', `/projects/default/integrations:batch?destructive=${destructive}`, {
    sourceYaml: JSON.stringify(manifest),
  })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
}

async function expectOk(answer: ReturnType<TestApp['call']>): Promise<{ id: string }> {
  const { status, body } = await answer
  if (status < 200 || status > 299) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body as { id: string }
}
