import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endAll, freePort, startMortise } from './mortise-process.testkit.ts'
import { startSlowBackfill } from './slow-backfill.testkit.ts'

/** Nothing is lost when the process, its workers and its database are gone at once, again and again. */

const contacts = 6_000
const providersDir = fileURLToPath(new URL('../examples/sample-crm/providers', import.meta.url))
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

it('a backfill that is killed twice delivers every record', async () => {
  let mortise = await start()
  const { recordsProcessed } = await startSlowBackfill(mortise, crm, receiver)
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
  expect(await recordsProcessed(mortise)).toBe(contacts)
  await mortise.end('SIGTERM')
}, 180_000)
