import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createEmptyDatabase } from '../packages/server/src/testkit/test-database.ts'
import { endAll, freePort, type MortiseProcess, startMortise } from './mortise-process.testkit.ts'
import { checkOut } from './released-code.testkit.ts'
import { startSlowBackfill } from './slow-backfill.testkit.ts'

/**
 * Nodes of the last release and of this one work on one database while they are replaced: no request fails, no record
 * is lost. The code of the last release is taken from git.
 */

const contacts = 4_000
const apiKey = `mortise_test_${randomBytes(24).toString('hex')}`
const release = JSON.parse(
  await readFile(new URL('./fixtures/last-release/release.json', import.meta.url), 'utf8'),
) as {
  commit: string
}
let folder: string
let database: Awaited<ReturnType<typeof createEmptyDatabase>>
let crm: SampleCrm
let receiver: WebhookReceiver
let env: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise-last-release-'))
  database = await createEmptyDatabase()
  crm = await startSampleCrm({ contacts, rateLimit: 0 })
  receiver = await startWebhookReceiver()
  env = {
    DATABASE_URL: database.url,
    MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
    MORTISE_BOOTSTRAP_API_KEY: apiKey,
    MORTISE_DATA_DIR: folder,
    MORTISE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    // Those of the last release, whose nodes do not know what this one added to the format.
    MORTISE_PROVIDERS_DIR: join(folder, 'examples/sample-crm/providers'),
  }
})
afterAll(async () => {
  await endAll()
  await Promise.all([crm?.close(), receiver?.close()])
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const start = async (cwd?: string) =>
  startMortise({ ...env, PORT: String(await freePort()) }, { apiKey: async () => apiKey, ...(cwd && { cwd }) })

/** What a migration that keeps to the rule does to tables that are in use, under a name that no node knows. */
const expansion = [
  'alter table destinations add column next_release text',
  'alter table installations add column next_release integer not null default 1',
  'alter table read_runs add column next_release jsonb',
  'alter table messages add column next_release text',
  'alter table api_keys add column next_release text',
  'alter table consumers add column next_release text',
  `create table next_release (project_id uuid not null references projects on delete cascade, id uuid, primary key (project_id, id))`,
  `select protect('next_release')`,
  `insert into kysely_migration (name, timestamp) values ('9998-next-release', now()::text)`,
]

/** Calls nodes all the time, until it is stopped. Returns the answers that failed, and how many there were. */
function callAlways(nodes: () => MortiseProcess[]) {
  const failed: string[] = []
  let answers = 0
  let isOver = false
  const calls = async () => {
    for (let round = 0; !isOver; round++) {
      for (const node of nodes()) {
        const name = `hook-${round}-${randomBytes(4).toString('hex')}`
        for (const [method, path, body] of [
          ['POST', '/destinations', { name, type: 'webhook', metadata: { url: receiver.url } }],
          ['GET', `/destinations/${name}`],
          ['PATCH', `/destinations/${name}`, { destination: { name: `${name}-2` }, updateMask: ['name'] }],
          ['DELETE', `/destinations/${name}-2`],
          ['GET', '/connections'],
          ['GET', '/api-keys'],
        ] as const) {
          if (isOver) return
          const call = node.call(method, `/v1/projects/default${path}`, body)
          const { status, body: answer } = await call.catch((cause: Error) => ({ status: 0, body: cause.message }))
          answers++
          if (status === 0 || status >= 400) failed.push(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
        }
      }
    }
  }
  const done = calls()
  onTestFinished(() => {
    isOver = true
  })
  return {
    /** Waits until all calls of two more rounds have answers. */
    async twoRounds() {
      const from = answers
      await vi.waitFor(() => expect(answers).toBeGreaterThan(from + 12 * nodes().length), 60_000)
    },
    async stop() {
      isOver = true
      await done
      return { failed, answers }
    },
  }
}

it('no request fails and no record is lost while nodes of the last release are replaced', async (context) => {
  if (!checkOut(release.commit, folder)) context.skip(`git does not have the last release, ${release.commit}`)
  const former = await start(folder)
  const { recordsProcessed } = await startSlowBackfill(former, crm, receiver)
  let nodes = [former]
  const calls = callAlways(() => nodes)
  await receiver.waitFor(({ distinctRecords }) => distinctRecords >= contacts * 0.1, 60_000)

  // The first node of this release migrates while the former one works.
  const next = await start()
  nodes = [former, next]
  await receiver.waitFor(({ distinctRecords }) => distinctRecords >= contacts * 0.3, 60_000)

  // This release may have no migration yet: the schema changes in any case while both work.
  const owner = new pg.Client({ connectionString: database.url, options: '-c search_path=mortise -c lock_timeout=2s' })
  await owner.connect()
  onTestFinished(() => owner.end())
  for (const statement of expansion) {
    await owner.query(statement)
    await calls.twoRounds()
  }

  // A node of the last release that is restarted meanwhile works on the migrated schema.
  const restarted = await start(folder)
  nodes = [former, next, restarted]
  await receiver.waitFor(({ distinctRecords }) => distinctRecords >= contacts * 0.5, 60_000)
  nodes = [next]
  await calls.twoRounds()
  const { failed, answers } = await calls.stop()
  expect(failed).toEqual([])
  expect(answers).toBeGreaterThan(100)
  expect([await former.end('SIGTERM'), await restarted.end('SIGTERM')]).toEqual([0, 0])

  const { distinctRecords, refused } = await receiver.waitFor(
    (counters) => counters.distinctRecords === contacts,
    90_000,
  )
  expect({ distinctRecords, refused }).toEqual({ distinctRecords: contacts, refused: 0 })
  expect(await recordsProcessed(next)).toBe(contacts)
  expect(await next.end('SIGTERM')).toBe(0)
}, 240_000)
