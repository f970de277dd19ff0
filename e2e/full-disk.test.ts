import { execFile } from 'node:child_process'
import { mkdtemp, open, readFile, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRunning } from '../packages/server/src/kernel/db/embedded/find-running.ts'
import { endAll, type MortiseProcess, startMortise } from './mortise-process.testkit.ts'

/**
 * A disk without room for the embedded database's log: PostgreSQL gives up, and so does each start of it, until there
 * is room again.
 */

const run = promisify(execFile)
const diskBytes = 256 * 1024 * 1024
const project = '/v1/projects/default'
const providersDir = fileURLToPath(new URL('../examples/sample-crm/providers', import.meta.url))
let disk: string
let isMounted = false
let crm: SampleCrm

beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), 'mortise-disk-'))
  crm = await startSampleCrm({ contacts: 1, rateLimit: 0 })
  isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes},mode=0755`, 'tmpfs', disk]).then(
    () => true,
    () => false,
  )
})
afterAll(async () => {
  await endAll()
  await crm?.close()
  if (isMounted) await run('umount', [disk])
  await rm(disk, { recursive: true, force: true })
})

async function connect(mortise: MortiseProcess, groupRef: string) {
  const account = { provider: 'sampleCrm', apiKey: crm.apiKey, providerMetadata: { url: crm.url } }
  const asked = { groupRef, consumerRef: groupRef, ...account }
  return mortise.call<{ id: string; context?: { code: string } }>('POST', `${project}/connections:generate`, asked)
}

/** Takes all the room that is left. */
async function fill(): Promise<() => Promise<void>> {
  const file = join(disk, 'ballast')
  const ballast = await open(file, 'w')
  const { bavail, bsize } = await statfs(disk)
  await ballast.appendFile(Buffer.alloc(bavail * bsize)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error
  })
  await ballast.close()
  return () => rm(file)
}

/** Uses up the log that there is, so that more of it is needed. */
async function writeUntilItEnds(dataDir: string): Promise<void> {
  const server = await findRunning(dataDir)
  if (!server) return
  const client = new pg.Client({ ...server, user: 'postgres', database: 'postgres' })
  client.on('error', () => undefined)
  try {
    await client.connect()
    for (;;) await client.query(`select pg_logical_emit_message(false, 'fill', repeat('x', 4000000)), pg_switch_wal()`)
  } catch {
    // As it has to come.
  } finally {
    await client.end().catch(() => undefined)
  }
}

it('is answered 503 while it is full, and all goes on by itself once there is room', async (context) => {
  if (!isMounted) context.skip('no disk of its own can be mounted here')
  const dataDir = join(disk, 'mortise')
  const env = { MORTISE_DATA_DIR: dataDir, MORTISE_PROVIDERS_DIR: providersDir, MORTISE_RATE_LIMIT: '0' }
  const apiKey = async () => (await readFile(join(dataDir, 'api-key'), 'utf8')).trim()
  const mortise = await startMortise(env, { apiKey })
  const accepted: string[] = []
  for (let n = 0; n < 5; n++) accepted.push((await connect(mortise, `before-${n}`)).body.id)

  const makeRoom = await fill()
  await writeUntilItEnds(dataDir)
  await expect.poll(async () => (await fetch(`${mortise.url}/readyz`)).status).toBe(503)
  const refused = await connect(mortise, 'meanwhile')
  expect(refused).toMatchObject({ status: 503, body: { context: { code: 'unavailable' } } })
  // It was tried in vain.
  await expect.poll(() => mortise.output().split('restarting it').length).toBeGreaterThan(2)
  expect(mortise.output()).toContain('No space left on device')
  expect(mortise.child.exitCode).toBeNull()

  await makeRoom()
  await expect.poll(async () => (await fetch(`${mortise.url}/readyz`)).status, { timeout: 60_000 }).toBe(200)
  const { status, body } = await connect(mortise, 'after')
  expect(status).toBe(201)
  accepted.push(body.id)
  const { body: listed } = await mortise.call<{ id: string }[] | { results: { id: string }[] }>(
    'GET',
    `${project}/connections`,
  )
  const ids = (Array.isArray(listed) ? listed : listed.results).map(({ id }) => id)
  expect(ids.sort()).toEqual(accepted.sort())
  expect(await mortise.end('SIGTERM')).toBe(0)
}, 240_000)
