import { Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allJobs, claimLoops, ticks } from './features/index.ts'
import { newId, type Tables } from './kernel/db/index.ts'
import { createProjectDb } from './kernel/db/project-db.ts'
import { startTestApp, type TestApp } from './testkit/test-app.ts'
import { openTestPool } from './testkit/test-database.ts'

/** Rows of each table of work, none of them due. */
const rowCount = 100_000
const columns = {
  connection_credentials: { connection_id: 'id', encrypted: `'x'`, renew_at: 'due' },
  erasures: { id: 'id', kind: `'group'`, ref: `'x'`, installation_ids: `'{}'`, due_time: 'due' },
  read_runs: {
    operation_id: 'id',
    installation_id: 'id',
    object_name: `'x'`,
    kind: `'triggered'`,
    next_attempt_at: 'due',
  },
  read_states: { installation_id: 'id', object_name: `'x'`, schedule: `'@daily'`, next_run_at: 'due' },
  schema_watches: { installation_id: 'id', object_name: `'x'`, schedule: `'@daily'`, next_check_at: 'due' },
  subscriptions: { installation_id: 'id', integration_id: 'id', next_time: 'due' },
  teardowns: { id: 'id', provider: `'x'`, encrypted: `'x'`, next_time: 'due' },
  write_runs: {
    operation_id: 'id',
    installation_id: 'id',
    object_name: `'x'`,
    type: `'create'`,
    mode: `'asynchronous'`,
    batch: 'false',
    records: '1',
    retry_hours: '1',
    deadline: 'due',
    next_attempt_at: 'due',
    // One in ten gathers records; the others are read by their next attempt.
    gather_until: 'case when n % 10 = 0 then due end',
  },
}

let app: TestApp
let pool: ReturnType<typeof openTestPool>
let system: Kysely<Tables>
const statements: { text: string; parameters: readonly unknown[] }[] = []

beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  pool = openTestPool(app.testDatabase.url, { options: '-c search_path=mortise' })
  for (const [table, values] of Object.entries(columns)) {
    const { rows } = await pool.query<{ name: string }>(
      `select conname as name from pg_constraint where contype = 'f' and conrelid = '${table}'::regclass`,
    )
    for (const { name } of rows) await pool.query(`alter table ${table} drop constraint "${name}"`)
    await pool.query(`
      insert into ${table} (project_id, ${Object.keys(values).join(', ')})
      select lpad(to_hex(n % 100), 32, '0')::uuid, ${Object.values(values).join(', ')}
        from (select n, gen_random_uuid() as id, now() + n * interval '1 minute' as due
                from generate_series(1, ${rowCount}) as n) as rows`)
    await pool.query(`analyze ${table}`)
  }
  const dialect = new PostgresDialect({ pool })
  system = new Kysely<Tables>({
    dialect,
    log({ query }) {
      statements.push({ text: query.sql, parameters: query.parameters })
    },
  })
})
afterAll(async () => {
  await pool?.end()
  await app?.stop()
})

/** Runs `work` and explains its statements. Returns which tables of work each reads, and by which index. */
async function readsOf(work: () => Promise<unknown>): Promise<string[]> {
  statements.length = 0
  await work()
  const reads = new Set<string>()
  for (const { text, parameters } of [...statements]) {
    if (!/^(\/\* prepared \*\/)?\s*(select|with|update|delete)\b/.test(text)) continue
    const { rows } = await pool.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${text}`, [...parameters])
    for (const scan of scansOf(rows[0]?.['QUERY PLAN'])) reads.add(scan)
  }
  return [...reads].filter((scan) => Object.keys(columns).some((table) => scan.startsWith(table))).toSorted()
}

/** Scans of a plan, e.g. `erasures by erasures_due`. */
function scansOf(plan: unknown): string[] {
  if (Array.isArray(plan)) return plan.flatMap(scansOf)
  if (typeof plan !== 'object' || plan === null) return []
  const node = plan as Record<string, unknown>
  const table = node['Relation Name']
  const scans = table !== undefined && /Scan$/.test(`${node['Node Type']}`) ? [`${table} by ${indexesOf(node)}`] : []
  return [...scans, ...Object.values(node).flatMap(scansOf)]
}

/** The indexes of a scan: its own, or those of the bitmaps below it. */
function indexesOf(node: Record<string, unknown>): string {
  const names = [...JSON.stringify(node).matchAll(/"Index Name":"(\w+)"/g)].map(([, name]) => name)
  return names.join(' and ') || 'nothing'
}

function services() {
  const { database, ...others } = app.app.services
  const forProject = (projectId: string) => createProjectDb(system, projectId)
  return { ...others, database: { ...database, system, forProject } }
}
const { signal } = new AbortController()

for (const [name, ...expected] of [
  ['connections.keep-alive', 'connection_credentials by credentials_to_renew'],
  ['groups.erasures', 'erasures by erasures_due'],
  ['schema-watching.schedule', 'schema_watches by schema_watches_due'],
  ['subscribing.set-up', 'subscriptions by subscriptions_due', 'teardowns by teardowns_next_time_idx'],
  ['writing.poll', 'write_runs by write_runs_due'],
  ['writing.release', 'write_runs by write_runs_gathered'],
])
  it(`the tick ${name} finds what is due by its index`, async () => {
    const tick = ticks(services()).find((tick) => tick.name === name)
    const reads = await readsOf(async () => tick?.run(signal))
    expect(reads).toEqual(expect.arrayContaining(expected))
    expect(reads.filter((read) => read.endsWith('by nothing'))).toEqual([])
  })

for (const [name, expected] of [
  ['reading.schedule', 'read_states by read_states_due'],
  ['reading.run', 'read_runs by read_runs_due'],
] as const)
  it(`the loop ${name} claims what is due by its index`, async () => {
    const loop = claimLoops(services()).find((loop) => loop.name === name)
    let begun: Promise<unknown>[] | undefined
    const reads = await readsOf(async () => {
      begun = await loop?.begin(16, signal)
    })
    expect(reads).toContain(expected)
    expect(reads.filter((read) => read.endsWith('by nothing'))).toEqual([])
    // What they still run would count as statements of the next test.
    await Promise.allSettled(begun ?? [])
    await loop?.stop?.()
  })

for (const [name, table] of [
  ['groups.finish-erasure', 'erasures'],
  ['schema-watching.check', 'schema_watches'],
  ['subscribing.set-up', 'subscriptions'],
  ['subscribing.tear-down', 'teardowns'],
  ['writing.run', 'write_runs'],
])
  it(`the job ${name} claims by an index`, async () => {
    const job = allJobs.find(({ declaration }) => declaration.name === name)
    const [projectId, installationId, id, erasureId] = [newId(), newId(), newId(), newId()]
    const data = { projectId, installationId, id, erasureId, objectName: 'contacts' }
    const run = { id: newId(), data, signal, log: app.app.services.log, giveWay: () => false }
    const reads = await readsOf(async () => job?.declaration.run(run as never, services()))
    expect(reads.length).toBeGreaterThan(0)
    for (const read of reads) expect(read).toMatch(new RegExp(`^${table} by ${table}_`))
  })
