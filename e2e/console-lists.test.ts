import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { fillConsole } from '../bench/rig/console-rows.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'

/**
 * A list reads as many pages of the database in a large project as in a small one. The statements of a request are
 * recorded, and then explained as the same role.
 */

const sizes = { small: 2_000, large: 20_000 }
const apps = new Map<string, TestApp>()
let recorded: { text: string; values: readonly unknown[] }[] = []
const { query } = pg.Client.prototype

beforeAll(async () => {
  for (const [size, installations] of Object.entries(sizes)) {
    const app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
    apps.set(size, app)
    const { host, port } = inject('postgres')
    const database = new URL(app.testDatabase.url).pathname.slice(1)
    await fillConsole({ host, port, user: 'postgres', database }, app.projectId, {
      installations,
      operations: installations,
      messages: installations,
      days: 2,
      withoutCounts: true,
    })
  }
  pg.Client.prototype.query = function recordedQuery(this: pg.Client, ...given: unknown[]) {
    const [sent, values] = given as [string | { text?: string; values?: unknown[] }, unknown[] | undefined]
    const text = typeof sent === 'string' ? sent : sent.text
    const all = typeof sent === 'string' ? values : (sent.values ?? values)
    if (text !== undefined) recorded.push({ text, values: all ?? [] })
    return (query as (...given: unknown[]) => unknown).apply(this, given)
  } as typeof query
})
afterAll(async () => {
  pg.Client.prototype.query = query
  for (const app of apps.values()) await app.stop()
})

/** How many pages the statements of a request read that name the project. */
async function pagesOf(size: string, path: string): Promise<number> {
  const app = apps.get(size)
  if (!app) throw new Error('no such service')
  // The first request fills the caches of the service.
  await app.call('GET', `/projects/default/${path}`)
  recorded = []
  const { status } = await app.call('GET', `/projects/default/${path}`)
  expect(status).toBe(200)
  const statements = recorded.filter(
    ({ text, values }) => /^\s*(\/\*.*?\*\/)?\s*(select|with|\()/.test(text) && values.includes(app.projectId),
  )
  expect(statements.length).toBeGreaterThan(0)
  let pages = 0
  for (const { text, values } of statements) {
    const { rows } = await app.db.sql.executeQuery<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      CompiledQuery.raw(`explain (analyze, buffers, format json) ${text}`, [...values]),
    )
    const plan = rows[0]?.['QUERY PLAN'][0].Plan
    pages += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
  }
  return pages
}

const installation = '00000003-0000-7000-8000-000000000007'
const integration = '00000001-0000-7000-8000-000000000000'
test.each([
  ['installations:failing?pageSize=10'],
  ['installations:failing?pageSize=10&reason=reads_paused'],
  [`installations:failing?pageSize=5&integrationId=${integration}`],
  [`search?query=${installation}`],
  ['search?query=company%201'],
  ['groups?pageSize=10'],
  ['installations?pageSize=10&healthStatus=unhealthy'],
  ['connections?pageSize=10&status=bad_credentials'],
  ['connections?pageSize=10&status=working'],
  [`installations?pageSize=10&integrationId=${integration}`],
  ['operations?pageSize=10&status=failure'],
  ['messages?pageSize=10'],
  [`messages?pageSize=10&installationId=${installation}`],
  ['messages?pageSize=10&groupRef=group-0'],
  ['messages?pageSize=10&groupRef=group-0&state=failed'],
])('%s reads as much of 20,000 installations as of 2,000', async (path) => {
  const [small, large] = [await pagesOf('small', path), await pagesOf('large', path)]
  expect(small).toBeGreaterThan(0)
  expect(large).toBeLessThan(2 * small + 50)
})

test('messages of a group are those of its installations, newest first, page by page', async () => {
  const app = apps.get('small')
  const ids = async (query: string) => {
    const path = `/projects/default/messages?pageSize=100&${query}`
    return (await app?.call<{ id: string }[]>('GET', path))?.body.map(({ id }) => id) ?? []
  }
  const each = Array.from(
    { length: 10 },
    (_, n) => `installationId=00000003-0000-7000-8000-${n.toString().padStart(12, '0')}`,
  )
  const all = (await Promise.all(each.map((query) => ids(query)))).flat().toSorted().toReversed()
  expect(all.length).toBeGreaterThan(20)
  expect(await ids('groupRef=group-0')).toEqual(all.slice(0, 100))
  expect(await ids('groupRef=group-0&state=pending')).not.toEqual([])
  expect(await ids(`groupRef=group-0&${each[3]}`), 'both filters').toEqual(await ids(each[3] ?? ''))
  expect(await ids(`groupRef=group-11&${each[3]}`), 'an installation of another group').toEqual([])
  expect(await ids('groupRef=nobody')).toEqual([])
})
