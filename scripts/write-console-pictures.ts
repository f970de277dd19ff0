import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { startBenchServer } from '../bench/rig/bench-database.ts'
import { temporaryFolder } from '../bench/rig/temporary-folder.ts'
import { freePort } from '../examples/demo/src/free-port.ts'
import { startMortise } from '../examples/demo/src/mortise-process.ts'
import { chromiumPath } from '../packages/server/src/testkit/chromium.ts'
import { buildConsole } from './build-console.mjs'
import {
  type ExampleProject,
  fillExampleProject,
  startCrm,
  writeProviders,
} from './console-pictures/example-project.ts'

/**
 * Takes pictures of the console with example data:
 *
 *   node scripts/run.mjs scripts/write-console-pictures.ts          those of the README, into docs/images
 *   node scripts/run.mjs scripts/write-console-pictures.ts FOLDER   each page, light and dark, at 1,440, 390 and 320 px
 */
const [folder] = process.argv.slice(2)
const images = fileURLToPath(new URL('../docs/images/', import.meta.url))
const widths = [1_440, 390, 320] as const
const schemes = ['light', 'dark'] as const

/** Pages by the name of their picture. */
function pages({ ids }: ExampleProject): Record<string, { path: string; inReadme?: true }> {
  const installation = (id: string) => `/default/installations/${ids.integrationId}/${id}`
  return {
    overview: { path: '/default/overview?range=30d', inReadme: true },
    customers: { path: '/default/customers' },
    customer: { path: '/default/customers/initech', inReadme: true },
    installations: { path: '/default/installations' },
    installation: { path: installation(ids.installationId) },
    failing: { path: installation(ids.failingInstallationId) },
    connections: { path: '/default/connections' },
    connection: { path: `/default/connections/${ids.connectionId}` },
    operations: { path: '/default/operations' },
    messages: { path: '/default/messages' },
    destinations: { path: '/default/destinations' },
    destination: { path: '/default/destinations/crm-webhook' },
    'provider-events': { path: '/default/provider-events' },
    'schema-changes': { path: '/default/schema-changes' },
    integrations: { path: '/default/integrations' },
    integration: { path: '/default/integrations/hubspotCrm-contacts' },
    deploy: { path: '/default/integrations/deploy' },
    environments: { path: '/default/integrations/environments' },
    providers: { path: '/default/providers' },
    provider: { path: '/default/providers/hubspotCrm' },
    notifications: { path: '/default/notifications' },
    explorer: { path: '/default/explorer' },
    settings: { path: '/default/settings' },
    'connect-pages': { path: '/default/settings/connect' },
    'api-keys': { path: '/default/settings/api-keys' },
    'token-keys': { path: '/default/settings/token-keys' },
    people: { path: '/default/settings/people' },
    domains: { path: '/default/settings/domains' },
    'audit-log': { path: '/default/settings/audit-log' },
    account: { path: '/account' },
  }
}

const root = fileURLToPath(new URL('../', import.meta.url))
const owner = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple' }

await buildConsole(root)
await using work = await temporaryFolder()
await using server = await startBenchServer(join(work.path, 'postgres'))
const { superuser, env } = await server.database('mortise')
const crm = await startCrm()
const providersDir = join(work.path, 'providers')
await writeProviders(providersDir, crm.url)
const mortise = await startMortise({
  port: await freePort(4100),
  dataDir: join(work.path, 'mortise'),
  providersDir,
  env,
})
const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
const project = await fillExampleProject({ ...mortise, superuser }, crm)
try {
  const page = await signedIn()
  for (const [name, { path, inReadme }] of Object.entries(pages(project))) {
    if (folder !== undefined) await shootAll(page, resolve(folder), name, path)
    else if (inReadme)
      for (const scheme of schemes)
        await shoot(page, path, scheme, 1_280, join(images, `console-${name}-${scheme}.png`))
  }
} finally {
  await browser.close()
  await project.close()
  await mortise.stop()
  await crm.close()
}

/** Creates the first account on its page, which leads into the console. */
async function signedIn(): Promise<Page> {
  const page = await browser.newPage({ locale: 'en-US' })
  page.on('pageerror', (error) => console.error(String(error)))
  page.on('console', (message) => message.type() === 'error' && console.error(message.text()))
  await page.goto(mortise.firstOwnerUrl ?? '')
  for (const [name, value] of Object.entries(owner)) {
    const field = page.locator(`input[name=${name}]`)
    if (await field.count()) await field.fill(value)
  }
  await page.click('button[type=submit]')
  await page.waitForURL(/\/console/)
  return page
}

async function shootAll(page: Page, to: string, name: string, path: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const width of widths)
    for (const scheme of schemes) await shoot(page, path, scheme, width, join(to, `${name}-${width}-${scheme}.png`))
}

async function shoot(
  page: Page,
  path: string,
  colorScheme: 'light' | 'dark',
  width: number,
  file: string,
): Promise<void> {
  await page.setViewportSize({ width, height: width > 900 ? 900 : 780 })
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.goto(`${mortise.url}/console${path}`)
  await page.locator('h1').first().waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  // Charts and lists draw after their data has arrived. Live updates keep a request open, so the network is never idle.
  await page.waitForTimeout(800)
  await page.screenshot({ path: file, fullPage: folder !== undefined && width > 900 })
  console.log(file)
}
