import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EmbeddedPostgres, startEmbedded } from '../packages/server/src/kernel/db/embedded/start-embedded.ts'
import { provision } from '../packages/server/src/kernel/db/provision.ts'
import { type NetworkLink, startNetworkLink } from '../packages/server/src/testkit/network-link.ts'
import { endAll, freePort, startMortise } from './mortise-process.testkit.ts'
import { startSlowBackfill } from './slow-backfill.testkit.ts'

/**
 * A node whose network to the database falls silent loses its work to another, and can do no harm when it comes back.
 */

const contacts = 3_000
const providersDir = fileURLToPath(new URL('../examples/sample-crm/providers', import.meta.url))
let folder: string
let postgres: EmbeddedPostgres
let link: NetworkLink
let crm: SampleCrm
let receiver: WebhookReceiver

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise-silent-database-'))
  const settings = { synchronous_commit: 'on' }
  postgres = await startEmbedded({ homeDir: folder, systemDir: join(folder, 'system'), fsync: false, settings })
  await provision(postgres)
  link = await startNetworkLink(postgres)
  crm = await startSampleCrm({ contacts, rateLimit: 0 })
  receiver = await startWebhookReceiver()
}, 120_000)
afterAll(async () => {
  await endAll()
  await Promise.all([crm?.close(), receiver?.close(), link?.close()])
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(databaseUrl: string) {
  const env = {
    DATABASE_URL: databaseUrl,
    // Also the limit of a connection attempt, which takes a second on a busy machine.
    MORTISE_DATABASE_SILENCE: '4s',
    MORTISE_DATA_DIR: join(folder, 'data'),
    MORTISE_PROVIDERS_DIR: providersDir,
    MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
    MORTISE_ENCRYPTION_KEY: encryptionKey,
    PORT: String(await freePort()),
  }
  return startMortise(env, { apiKey: async () => (await readFile(join(folder, 'data', 'api-key'), 'utf8')).trim() })
}
const encryptionKey = randomBytes(32).toString('base64')

async function ask<T extends object>(text: string, values?: unknown[]): Promise<T[]> {
  const client = new pg.Client({ host: postgres.host, port: postgres.port, user: 'postgres', database: 'mortise' })
  await client.connect()
  const { rows } = await client.query<T>(text, values)
  await client.end()
  return rows
}

it('a backfill goes on at another node, and what the first one wrote into the silence changes nothing', async () => {
  const first = await start(`postgres://mortise_owner@127.0.0.1:${link.port}/mortise`)
  const { recordsProcessed } = await startSlowBackfill(first, crm, receiver)
  await receiver.waitFor(({ distinctRecords }) => distinctRecords >= contacts * 0.15, 60_000)
  link.silence()
  const sessions = (await ask<{ pid: number }>(`select pid from pg_stat_activity where usename = 'mortise_owner'`)).map(
    ({ pid }) => pid,
  )
  const socket = encodeURIComponent(postgres.host)
  const second = await start(`postgres://mortise_owner@localhost:${postgres.port}/mortise?host=${socket}`)
  await receiver.waitFor(({ distinctRecords }) => distinctRecords === contacts, 120_000)
  expect((await fetch(`${first.url}/readyz`)).status).toBe(503)

  link.resume()
  await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status).toBe(200)
  const stillAtWork = `select from pg_stat_activity where pid = any($1) and state <> 'idle'`
  await expect.poll(() => ask(stillAtWork, [sessions])).toEqual([])
  expect(await recordsProcessed(first)).toBe(contacts)
  expect(await recordsProcessed(second)).toBe(contacts)
  expect(receiver.counters()).toMatchObject({ distinctRecords: contacts, refused: 0 })
  expect([first.child.exitCode, second.child.exitCode]).toEqual([null, null])
  await Promise.all([first.end('SIGTERM'), second.end('SIGTERM')])
}, 300_000)
