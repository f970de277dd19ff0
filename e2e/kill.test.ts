import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endAll, freePort, type MortiseProcess, startMortise } from './mortise-process.testkit.ts'

/** Nothing is lost when the process, its workers and its database are gone at once, again and again. */

const contacts = 6_000
const providersDir = fileURLToPath(new URL('../examples/sample-crm/providers', import.meta.url))
const manifest = new URL('../examples/manifests/sample-crm.yaml', import.meta.url)
let dataDir: string
let crm: SampleCrm
let receiver: WebhookReceiver
let env: Record<string, string>

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mortise-kill-'))
  crm = await startSampleCrm({ contacts, rateLimit: 0 })
  receiver = await startWebhookReceiver()
  env = { MORTISE_DATA_DIR: dataDir, MORTISE_PROVIDERS_DIR: providersDir, PORT: String(await freePort()) }
})
afterAll(async () => {
  await endAll()
  await Promise.all([crm.close(), receiver.close()])
  await rm(dataDir, { recursive: true, force: true })
})

const start = () => startMortise(env, { apiKey: async () => (await readFile(join(dataDir, 'api-key'), 'utf8')).trim() })

async function ok<T>(answer: Promise<{ status: number; body: T }>): Promise<T> {
  const { status, body } = await answer
  if (status > 299) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

it('a backfill that is killed twice delivers every record', async () => {
  let mortise = await start()
  const { installationId, integrationId } = await installEverything(mortise)
  for (const share of [0.15, 0.6]) {
    await receiver.waitFor(({ distinctRecords }) => distinctRecords >= contacts * share, 60_000)
    await mortise.end('SIGKILL')
    mortise = await start()
  }
  const { distinctRecords, refused } = await receiver.waitFor(
    (counters) => counters.distinctRecords === contacts,
    90_000,
  )
  expect({ distinctRecords, refused }).toEqual({ distinctRecords: contacts, refused: 0 })
  // What the service says it has read is what there was: a page that was committed is not read again.
  const progress = await ok(
    mortise.call<{ recordsProcessed: number }>(
      'GET',
      `/v1/projects/default/integrations/${integrationId}/installations/${installationId}/objects/contacts/backfill-progress`,
    ),
  )
  expect(progress.recordsProcessed).toBe(contacts)
  await mortise.end('SIGTERM')
}, 180_000)

async function installEverything(mortise: MortiseProcess) {
  const name = 'demoWebhook'
  await ok(
    mortise.call('POST', '/v1/projects/default/destinations', {
      name,
      type: 'webhook',
      metadata: { url: receiver.url },
    }),
  )
  const { secrets } = await ok(
    mortise.call<{ secrets: { webhookSigningKey: string } }>(
      'GET',
      `/v1/projects/default/destinations/${name}?includeSecrets=true`,
    ),
  )
  receiver.setSecret(secrets.webhookSigningKey)
  const [integration] = await ok(
    mortise.call<{ id: string }[]>('PUT', '/v1/projects/default/integrations:batch', {
      sourceYaml: await readFile(manifest, 'utf8'),
    }),
  )
  const integrationId = integration?.id ?? ''
  const connection = await ok(
    mortise.call<{ id: string }>('POST', '/v1/projects/default/connections:generate', {
      groupRef: 'acme',
      consumerRef: 'acme-admin',
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: crm.url },
    }),
  )
  // Slow from here on, so that there is a middle to be killed in.
  crm.setRateLimit(20, 5)
  const installation = await ok(
    mortise.call<{ id: string }>(
      'POST',
      `/v1/projects/default/integrations/${integrationId}/installations?skipSampling=true`,
      {
        groupRef: 'acme',
        connectionId: connection.id,
        config: {
          content: {
            provider: 'sampleCrm',
            read: { objects: { contacts: { objectName: 'contacts', selectedFieldMappings: { lifecycle: 'stage' } } } },
          },
        },
      },
    ),
  )
  return { installationId: installation.id, integrationId }
}
