import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EmbeddedPostgres, startEmbedded } from '../packages/server/src/kernel/db/embedded/start-embedded.ts'
import { provision } from '../packages/server/src/kernel/db/provision.ts'
import { startHookLedger } from './hook-ledger.testkit.ts'
import { endAll, freePort, type MortiseProcess, startMortise } from './mortise-process.testkit.ts'

/**
 * What a provider was told has arrived becomes an entry, once, also when the process is killed before it has made a
 * message of it.
 */

/** How often the process is killed. */
const kills = Number(process.env['MORTISE_TEST_KILLS'] ?? 3)
const lanes = 4
const eventsOfRequest = 25
/** Requests that are answered between one kill and the next. */
const answeredBetween = 20
const project = '/v1/projects/default'
const manifest = `
specVersion: 1.0.0
integrations:
  - name: ledger
    provider: hookLedger
    read: { objects: [{ objectName: contacts, destination: hook, schedule: '0 0 29 2 *', requiredFields: [{ fieldName: email }] }] }
    subscribe:
      objects: [{ objectName: contacts, destination: hook, inheritFieldsAndMapping: true, deleteEvent: { enabled: always } }]
`
let folder: string
let postgres: EmbeddedPostgres
let ledger: Awaited<ReturnType<typeof startHookLedger>>
let receiver: WebhookReceiver
let env: Record<string, string>
/** Ids of records by the message that told of them: one that is delivered twice counts once. */
const told = new Map<string, string[]>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise-kill-events-'))
  const settings = { synchronous_commit: 'on' }
  postgres = await startEmbedded({ homeDir: folder, systemDir: join(folder, 'system'), fsync: false, settings })
  await provision(postgres)
  ledger = await startHookLedger()
  receiver = await startWebhookReceiver({
    respond({ id = '', message }) {
      const { action, result = [] } = message as { action?: string; result?: { id: string }[] }
      if (action === 'subscribe')
        told.set(
          id,
          result.map((entry) => entry.id),
        )
      return { status: 204 }
    },
  })
  env = {
    DATABASE_URL: `postgres://mortise_owner@localhost:${postgres.port}/mortise?host=${encodeURIComponent(postgres.host)}`,
    MORTISE_DATA_DIR: join(folder, 'data'),
    MORTISE_PROVIDERS_DIR: ledger.folder,
    MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
    MORTISE_RATE_LIMIT: '0',
    MORTISE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    PORT: String(await freePort()),
  }
}, 120_000)
afterAll(async () => {
  await endAll()
  await Promise.all([ledger?.close(), receiver?.close()])
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

const apiKey = async () => (await readFile(join(folder, 'data', 'api-key'), 'utf8')).trim()
const start = () => startMortise(env, { apiKey })

async function install(mortise: MortiseProcess) {
  const make = async (method: string, path: string, body: unknown) => {
    const answer = await mortise.call(method, `${project}${path}`, body)
    if (answer.status > 299) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  await make('POST', '/destinations', { name: 'hook', type: 'webhook', metadata: { url: receiver.url } })
  await make('PUT', '/integrations:batch', { sourceYaml: manifest })
  const account = { provider: 'hookLedger', apiKey: 'any', providerMetadata: { url: ledger.url } }
  await make('POST', '/connections:generate', { groupRef: 'one', consumerRef: 'one', ...account })
  const content = { provider: 'hookLedger', read: { objects: { contacts: {} } } }
  await make('POST', '/integrations/ledger/installations', { groupRef: 'one', config: { content } })
}

async function waitingEvents(): Promise<number> {
  const client = new pg.Client({ host: postgres.host, port: postgres.port, user: 'postgres', database: 'mortise' })
  await client.connect()
  const { rows } = await client.query<{ count: number }>('select count(*)::int as count from mortise.inbound_events')
  await client.end()
  return rows[0]?.count ?? 0
}

it(
  'each event that was answered becomes one entry, however often the process is killed right after the answer',
  async () => {
    let up = start()
    await install(await up)
    await ledger.hook
    const answered: string[] = []
    let answers = 0
    let killAt = Number.POSITIVE_INFINITY
    let kill: () => void = () => undefined
    let isOver = false
    let count = 0
    const lane = async () => {
      while (!isOver) {
        const ids = Array.from({ length: eventsOfRequest }, () => `${++count}`)
        // As providers do: what was not answered is told again.
        while ((await ledger.tell(ids).catch(() => 0)) !== 200) await up
        answered.push(...ids)
        if (++answers === killAt) kill()
      }
    }
    const running = Array.from({ length: lanes }, lane)
    let waited = 0
    for (let killed = 0; killed < kills; killed++) {
      const mortise = await up
      up = new Promise<void>((resolve) => {
        kill = resolve
        killAt = answers + answeredBetween
      })
        .then(() => mortise.end('SIGKILL'))
        .then(async () => {
          waited += await waitingEvents()
          return start()
        })
      await up
    }
    isOver = true
    await Promise.all(running)

    await expect.poll(waitingEvents, { timeout: 60_000 }).toBe(0)
    await expect.poll(() => new Set([...told.values()].flat()).size, { timeout: 60_000 }).toBe(answered.length)
    expect([...told.values()].flat().toSorted()).toEqual(answered.toSorted())
    // The kills came in between: events that were answered, and of which nothing was made yet.
    expect(waited).toBeGreaterThan(0)
    await (await up).end('SIGTERM')
  },
  120_000 + kills * 30_000,
)
