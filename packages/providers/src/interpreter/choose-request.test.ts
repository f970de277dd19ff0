import { expect, it } from 'vitest'
import { isReadObject, type ReadObject } from '../catalogue/format/provider-file.ts'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import { createConnector } from '../index.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { asked } from '../testing/open-provider.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { chooseRequest } from './choose-request.ts'
import { planOf } from './object-plan.ts'

const now = Date.parse('2026-05-01T00:00:00Z')
const until = new Date(now)
const days = (count: number) => new Date(now - count * 86_400_000)

/** A wiki: one request lists all pages, the other recent changes. */
const wiki = `
read: { path: /pages, query: { after: '{{cursor}}' }, records: pages, paging: { kind: cursor, next: next } }
incremental: { read: { path: /changes, query: { since: '{{since}}', until: '{{until}}' } } }
`

function objectOf(yaml: string): ReadObject {
  const object = thingsProvider(yaml).file?.sets.get('')?.objects.get('things')
  if (!object || !isReadObject(object)) throw new Error('no object')
  return object
}

async function askedFor(yaml: string, requests: { since?: Date; until?: Date }[]): Promise<string[]> {
  await using server = await startServer(() => ({ body: { pages: [{ id: '1' }] } }))
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'key' } } as const
  const connector = createConnector(thingsProvider(yaml), connection, plainHttp(fetch), { now: () => now })
  for (const request of requests) await connector.readPage({ object: 'things', fields: 'all', ...request })
  return asked(server.seen)
}

it('the full history is read by `read`, a window with a beginning by `incremental.read`', async () => {
  expect(await askedFor(wiki, [{ until }, {}, { since: days(30), until }, { since: days(30) }])).toEqual([
    'GET /api/pages',
    'GET /api/pages',
    'GET /api/changes?since=2026-04-01T00:00:00.000Z&until=2026-05-01T00:00:00.000Z',
    'GET /api/changes?since=2026-04-01T00:00:00.000Z',
  ])
})

it('`reach` says how far `incremental.read` goes: some days, or everything', async () => {
  const reaching = (reach: string) => wiki.replace('incremental: {', `incremental: { reach: ${reach},`)
  expect(
    await askedFor(reaching('90'), [
      { since: days(91), until },
      { since: days(89), until },
    ]),
  ).toEqual(['GET /api/pages', expect.stringContaining('GET /api/changes?since=')])
  expect(await askedFor(reaching('everything'), [{ until }, {}])).toEqual([
    'GET /api/changes?until=2026-05-01T00:00:00.000Z',
    'GET /api/pages',
  ])
})

it('the choice comes with its reason', () => {
  expect(chooseRequest(objectOf(wiki), 'things', { until }, now)).toEqual({
    request: 'read',
    because: 'the full history is read',
  })
  expect(chooseRequest(objectOf(wiki), 'things', { since: days(1) }, now).because).toBe('the window has a beginning')
})

it('a file whose `incremental.read` stands in for `read` has to say that it reaches everything', () => {
  const filtered = wiki.replace("until: '{{until}}'", "until: '{{until}}', q: '{{filters}}'")
  expect(() => thingsProvider(filtered)).toThrow(/uses \{\{filters}}, but `read` does not/)
  expect(() => thingsProvider(wiki.replace('records:', 'urlBytesMax: 2000, records:'))).toThrow(
    /`incremental.reach: everything`/,
  )
  expect(() => thingsProvider(wiki.replace('incremental: {', 'incremental: { reach: sometimes,'))).toThrow(
    /must be a number of days, or `everything`/,
  )
})

it('a query parameter is sent on a condition', async () => {
  const sorted = `
read:
  path: /pages
  query:
    sort: { $when: { since: { present: false } }, is: id }
    order: [{ $when: since, is: 'updated:{{since}}' }, { $when: until, is: bounded }, always]
  records: pages
incremental: { format: date }
`
  expect(await askedFor(sorted, [{}, { since: days(1), until }])).toEqual([
    'GET /api/pages?sort=id&order=always',
    'GET /api/pages?order=updated:2026-04-30&order=bounded&order=always',
  ])
  expect(() => thingsProvider(sorted.replace('$when: until', '$when: untill'))).toThrow(/"untill"/)
})

it('of every provider file, the full history is read by `read`, or by a request that needs no beginning', async () => {
  const catalogue = await loadCatalogue({ cacheDir: testCache })
  const objects = catalogue
    .list()
    .flatMap((entry) =>
      [...(entry.file?.sets.values() ?? [])].flatMap((set) =>
        [...set.objects, ...set.others.map(({ object }) => ['other', object] as const)].flatMap(([name, object]) =>
          isReadObject(object) && object.incremental?.read ? [{ entry: entry.name, name, object }] : [],
        ),
      ),
    )
  expect(objects.length).toBeGreaterThan(200)
  const standIns = new Set<string>()
  for (const { entry, name, object } of objects) {
    const reach = object.incremental?.reach
    const since = days(typeof reach === 'number' ? Math.min(reach - 1, 30) : 30)
    expect(chooseRequest(object, name, { since, until }, now).request, name).toBe('incremental.read')
    if (chooseRequest(object, name, { until }, now).request === 'read') continue
    standIns.add(entry)
    expect(object.incremental?.reach, `${entry} ${name}`).toBe('everything')
    // Nothing that only makes sense with a beginning is left of the request.
    expect(planOf(object, name).window.request.variables.has('since'), `${entry} ${name}`).toBe(true)
  }
  // Looked at one by one: their requests list every record where the beginning is left out.
  expect([...standIns].sort()).toEqual(['hubspot', 'intercom', 'outreach', 'quickbooks', 'quickbooksSandbox'])
})
