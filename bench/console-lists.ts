import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { kindFamilies } from '../packages/server/src/features/platform/timelines/model.ts'
import { rounded } from './measure/statistics.ts'
import { startBenchServer } from './rig/bench-database.ts'
import { fillConsole } from './rig/console-rows.ts'
import { startService } from './rig/service.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

/**
 * `node scripts/run.mjs bench/console-lists.ts [--installations 1000] [--operations 100000] [--requests 100]`: fills a
 * database, sends each list of a console, one request at a time, and prints the 95th percentile beside its limit. Exits
 * with 1 if a list takes longer.
 */

const { values } = parseArgs({
  options: {
    installations: { type: 'string', default: '1000' },
    operations: { type: 'string', default: '100000' },
    messages: { type: 'string' },
    requests: { type: 'string', default: '100' },
    folder: { type: 'string' },
  },
})
const installations = Number(values.installations)
const requests = Number(values.requests)
const operations = Number(values.operations)
const messages = Number(values.messages ?? operations * 5)

/** The same form as in `console-rows.ts`. */
const numberId = (kind: number, n: number) =>
  `${kind.toString(16).padStart(8, '0')}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const hexadecimal = (length: number) =>
  Array.from({ length }, () => Math.floor(Math.random() * 16).toString(16)).join('')
const some = () => Math.floor(Math.random() * installations)
const today = new Date(Date.now() - 86_400_000).toISOString()

/** What each list is asked for, with the maximum of its 95th percentile in milliseconds. */
type List = [name: string, limitMs: number, query: () => Record<string, string>, path: string]
const lists: List[] = [
  ['operations', 150, () => ({}), 'operations'],
  ['operations of a group', 150, () => ({ groupRef: `group-${some()}` }), 'operations'],
  ['operations of a group of ten', 150, () => ({ groupRef: 'group-0', objectName: 'rare' }), 'operations'],
  ['operations of an installation', 150, () => ({ installationId: numberId(3, some()) }), 'operations'],
  ['operations of an integration', 150, () => ({ integrationId: numberId(1, some() % 20) }), 'operations'],
  ['failed operations', 150, () => ({ status: 'failure' }), 'operations'],
  ['failed of an integration', 150, () => ({ status: 'failure', integrationId: numberId(1, 7) }), 'operations'],
  ['operations of a rare object', 150, () => ({ objectName: 'rare' }), 'operations'],
  ['successful of a rare object', 150, () => ({ objectName: 'rare', status: 'success' }), 'operations'],
  ['backfills', 150, () => ({ readType: 'backfill' }), 'operations'],
  ['writes of a day', 150, () => ({ actionType: 'write', createdAfter: today }), 'operations'],
  ['counts of the project', 150, () => ({}), 'counts'],
  ['counts of a group', 150, () => ({ groupRef: `group-${some()}` }), 'counts'],
  [
    'counts of an installation, a month',
    150,
    () => ({ installationId: numberId(3, some()), interval: 'day' }),
    'counts',
  ],
  ['installations that fail most, a day', 150, () => ({}), 'counts:top'],
  ['installations that read most, a day', 150, () => ({ by: 'recordsRead' }), 'counts:top'],
  ['overview', 200, () => ({}), 'overview'],
  ['failing installations', 150, () => ({}), 'installations:failing'],
  ['failing of an integration', 150, () => ({ integrationId: numberId(1, 0) }), 'installations:failing'],
  ['failing by reason', 150, () => ({ reason: 'reads_paused' }), 'installations:failing'],
  ['search by id', 150, () => ({ query: numberId(3, some()) }), 'search'],
  ['search by the beginning of a name', 150, () => ({ query: `GROUP-${some()}` }), 'search'],
  ['search by a part of a name', 150, () => ({ query: hexadecimal(3) }), 'search'],
  ['search that finds nothing', 150, () => ({ query: `${hexadecimal(6)}x` }), 'search'],
  ['groups by name', 150, () => ({ query: hexadecimal(3), pageSize: '100' }), 'groups'],
  ['groups by a name that none has', 150, () => ({ query: 'nobody', pageSize: '100' }), 'groups'],
  ['refused connections', 150, () => ({ status: 'bad_credentials', pageSize: '100' }), 'connections'],
  ['unhealthy installations', 150, () => ({ healthStatus: 'unhealthy', pageSize: '100' }), 'installations'],
  ['installations of an integration', 150, () => ({ integrationId: 'bench-3', pageSize: '100' }), 'installations'],
  ['consumers by a name that none has', 150, () => ({ query: 'nobody', pageSize: '100' }), 'consumers'],
  ...[undefined, ...kindFamilies, 'audit'].flatMap((kind) =>
    [
      { groupRef: () => `group-${some()}` },
      { installationId: () => numberId(3, some()) },
      { connectionId: () => numberId(4, some()) },
    ].map((of): List => {
      const [[name, value] = ['', () => '']] = Object.entries(of)
      return [
        `time line by ${name}, ${kind ?? 'all'}`,
        150,
        () => ({ [name]: value(), ...(kind !== undefined && { kind }) }),
        'timeline',
      ]
    }),
  ),
  ['provider events', 150, () => ({}), 'provider-events'],
  ['provider events of an installation', 150, () => ({ installationId: numberId(3, some()) }), 'provider-events'],
  ['provider events of a provider', 150, () => ({ provider: 'nobody' }), 'provider-events'],
  ['provider events of an integration', 150, () => ({ integrationId: numberId(1, 7) }), 'provider-events'],
  ['provider events that are not valid', 150, () => ({ outcome: 'unverified' }), 'provider-events'],
  ['messages', 150, () => ({}), 'messages'],
  ['messages that wait', 150, () => ({ state: 'pending' }), 'messages'],
  ['messages of an installation', 150, () => ({ installationId: numberId(3, some()) }), 'messages'],
  ['messages of a destination', 150, () => ({ destination: 'hook-3' }), 'messages'],
  ['messages of an operation', 150, () => ({ operationId: numberId(6, some()) }), 'messages'],
  ['failed messages', 150, () => ({ state: 'failed' }), 'messages'],
  ['failed of an installation', 150, () => ({ state: 'failed', installationId: numberId(3, some()) }), 'messages'],
  ['failed of a destination', 150, () => ({ state: 'failed', destination: 'hook-3' }), 'messages'],
  ['delivered messages', 150, () => ({ state: 'delivered' }), 'messages'],
  ['delivered to a destination', 150, () => ({ state: 'delivered', destination: 'hook-3' }), 'messages'],
  ['messages of notifications', 150, () => ({ kind: 'notification' }), 'messages'],
  ['messages of an event', 150, () => ({ eventType: 'read.triggered.done' }), 'messages'],
  ['messages of subscriptions, a day', 150, () => ({ kind: 'subscribe', createdAfter: today }), 'messages'],
  [
    'messages that wait, of an installation',
    150,
    () => ({ state: 'pending', installationId: numberId(3, some()) }),
    'messages',
  ],
  ['operations in progress', 150, () => ({ status: 'in_progress' }), 'operations'],
  ['failed writes', 150, () => ({ status: 'failure', actionType: 'write' }), 'operations'],
  ['failed of a group', 150, () => ({ status: 'failure', groupRef: `group-${some()}` }), 'operations'],
  ['writes of an integration', 150, () => ({ actionType: 'write', integrationId: numberId(1, 7) }), 'operations'],
  ['subscriptions', 150, () => ({ actionType: 'subscribe' }), 'operations'],
]

/** Returns the encryption key of the database in a folder. */
async function keyOf(folder: string): Promise<string> {
  const file = join(folder, 'encryption-key')
  const known = await readFile(file, 'utf8').catch(() => undefined)
  if (known !== undefined) return known
  const key = randomBytes(32).toString('base64')
  await writeFile(file, key, { mode: 0o600 })
  return key
}

await using temporary = await temporaryFolder()
const folder = values.folder ?? temporary.path
await using server = await startBenchServer(folder)
const { superuser, env } = await server.database('mortise')
const settings = { ...env, MORTISE_ENCRYPTION_KEY: await keyOf(folder) }
const began = performance.now()
await fill()
await using service = await startService(folder, settings)
console.log(
  `${operations} operations of ${installations} installations, filled in ${rounded((performance.now() - began) / 1_000)} s`,
)

/** Fills the database, unless a run before has. The service must not look for work in tables without indexes. */
async function fill(): Promise<void> {
  const projectId = await emptyProject()
  if (projectId !== undefined) await fillConsole(superuser, projectId, { installations, operations, messages, days: 7 })
}

/** Returns the id of the project; nothing if it is filled. */
async function emptyProject(): Promise<string | undefined> {
  await using service = await startService(folder, settings)
  if ((await service.call<unknown[]>('GET', '/installations?pageSize=1')).length > 0) return undefined
  return (await service.call<{ id: string }>('GET', '')).id
}

let isSlow = false
for (const [name, limitMs, query, path] of lists) {
  const times: number[] = []
  for (let request = 0; request < requests; request++) {
    const begun = performance.now()
    await service.call('GET', `/${path}?${new URLSearchParams(query())}`)
    times.push(performance.now() - begun)
  }
  times.sort((a, b) => a - b)
  const p95 = times[Math.ceil(times.length * 0.95) - 1] ?? 0
  isSlow ||= p95 > limitMs
  console.log(
    `${name.padEnd(36)} p95 ${rounded(p95).toString().padStart(8)} ms   limit ${limitMs} ms${p95 > limitMs ? '   SLOW' : ''}`,
  )
}
process.exitCode = isSlow ? 1 : 0
