import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SaasApp, startSaasApp } from '@mortise-examples/saas-app'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { createAuthorizationServer } from '@mortise-examples/sample-crm/authorization-server'
import { buildConnect } from '../../../../scripts/build-connect.mjs'
import { type Call, createCall } from '../api.ts'
import { deploy } from '../customer.ts'
import { freePort } from '../free-port.ts'
import { type MortiseProcess, startMortise } from '../mortise-process.ts'

/** Everything that runs in the demo: a CRM, Mortise, and a product whose customers connect the CRM. */
export interface BrowserDemo {
  crm: SampleCrm
  app: SaasApp
  mortise: MortiseProcess
  call: Call
  stop(): Promise<void>
}

const client = { clientId: 'mortise', clientSecret: 'mortise-secret' }
const scopes = ['contacts.read', 'companies.read', 'contacts.write']
const providerFile = new URL('../../../sample-crm/providers/sampleCrm.yaml', import.meta.url)
const root = fileURLToPath(new URL('../../../../', import.meta.url))
/** The address of the CRM in its provider file. */
const usualCrmUrl = 'http://127.0.0.1:4200'

/**
 * Starts all of it. The usual ports are taken if they are free.
 *
 * @param dataDir of Mortise; the caller deletes it
 */
export async function startBrowserDemo({
  dataDir,
  contacts = 2_000,
  ports = { mortise: 4100, crm: 4200, app: 4400 },
}: {
  dataDir: string
  contacts?: number
  ports?: { mortise: number; crm: number; app: number }
}): Promise<BrowserDemo> {
  const running: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of running.splice(0).toReversed()) await end()
  }
  try {
    // The pages of Harbor load the components from Mortise.
    await buildConnect(root)
    const mortisePort = await freePort(ports.mortise)
    const crm = await startSampleCrm({
      contacts,
      port: await freePort(ports.crm),
      rateLimit: 30,
      authorization: createAuthorizationServer({
        applications: [
          { ...client, name: 'Harbor', redirectUris: [`http://localhost:${mortisePort}/callbacks/v1/oauth`] },
        ],
      }),
    })
    running.push(() => crm.close())
    const providersDir = await writeProvider(join(dataDir, 'providers'), crm.url)
    const mortise = await startMortise({ port: mortisePort, dataDir, providersDir })
    running.push(() => mortise.stop())

    let webhookSecret = ''
    const app = await startSaasApp({
      port: await freePort(ports.app),
      mortiseUrl: mortise.url,
      apiKey: mortise.apiKey,
      webhookSecret: () => webhookSecret,
    })
    running.push(() => app.close())
    const call = createCall(mortise.url, mortise.apiKey)
    webhookSecret = await setUp(call, app)
    return { crm, app, mortise, call, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Writes the provider file with the address at which the CRM runs. */
async function writeProvider(folder: string, crmUrl: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const file = await readFile(providerFile, 'utf8')
  await writeFile(join(folder, 'sampleCrm.yaml'), file.replaceAll(usualCrmUrl, crmUrl))
  return folder
}

/** Colors of Harbor, for the pages of Mortise. Its own pages hand theirs to the components. */
const theme = {
  accent: '#0b6bcb',
  accentText: '#ffffff',
  background: '#f6f7f9',
  surface: '#ffffff',
  text: '#16202b',
  border: '#dfe4ea',
  dark: {
    accent: '#6db3ff',
    accentText: '#0b1a2b',
    background: '#0f1419',
    surface: '#182028',
    text: '#e6ecf2',
    border: '#2c3742',
  },
}

/** What a builder does once: name, colors and origin of the product, destination, provider app, manifest. */
async function setUp(call: Call, app: SaasApp): Promise<string> {
  const project = '/v1/projects/default'
  // The origin may show connect pages in a frame, gets their messages, and is where browsers return to.
  const connect = { frameOrigins: [app.url], theme }
  await call('PATCH', project, { updateMask: ['appName', 'connect'], project: { appName: 'Harbor', connect } })
  await call('POST', `${project}/destinations`, {
    name: 'demoWebhook',
    type: 'webhook',
    metadata: { url: app.webhookUrl },
  })
  await call('POST', `${project}/provider-apps`, { provider: 'sampleCrm', ...client, scopes })
  await deploy(call)
  const { secrets } = await call<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    `${project}/destinations/demoWebhook?includeSecrets=true`,
  )
  return secrets.webhookSigningKey
}
