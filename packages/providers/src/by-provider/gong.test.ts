import { expect, it } from 'vitest'
import { eventNamesOf, handshakeReply, loadCatalogue, parseEvents } from '../index.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** What the recorded answers of Gong do not show. */

const metadata = { api_base_url_for_customer: 'https://us-1.api.gong.io' }

it('a window in which nobody called is empty, though Gong calls that an error', async () => {
  const body = { requestId: 'r', errors: ['No calls found corresponding to the provided filters'] }
  await using at = await openProvider('gong', () => ({ status: 404, body }), { metadata })
  const since = new Date('2026-01-02T00:00:00Z')
  const until = new Date('2026-01-03T00:00:00Z')
  const page = await at.connector.readPage({ object: 'transcripts', fields: 'all', since, until })
  expect(page).toEqual({ records: [], nextPage: undefined })
  expect(JSON.parse(at.seen[0]?.body ?? '')).toEqual({
    filter: { fromDateTime: '2026-01-01T00:00:00.000Z', toDateTime: '2026-01-03T00:00:00.000Z' },
  })
})

it('interaction of users is read day by day, without a day that is not over', async () => {
  const stats = ({ body }: { body: string }) => {
    const { filter, cursor } = JSON.parse(body) as { filter: { fromDate: string }; cursor?: string }
    if (filter.fromDate === '2026-01-03') return { status: 404, body: { errors: ['No activities found'] } }
    const user = { userId: cursor ?? 'u1', personInteractionStats: [{ name: 'Patience', value: 1.2 }] }
    return {
      body: {
        records: cursor === undefined ? { cursor: 'u2' } : {},
        peopleInteractionStats: [user],
        fromDateTime: `${filter.fromDate}T00:00:00-08:00`,
      },
    }
  }
  await using at = await openProvider('gong', stats, { metadata })
  const window = { since: new Date('2026-01-03T22:00:00Z'), until: new Date('2026-01-05T20:00:00Z') }
  const records = await readAll(at.connector, { object: 'dailyInteraction', fields: ['userId'], ...window })
  expect(records.map(({ id }) => id)).toEqual(['u1/2026-01-02', 'u2/2026-01-02', 'u1/2026-01-04', 'u2/2026-01-04'])
  expect([...new Set(at.seen.map(({ url }) => url.pathname))]).toEqual(['/v2/stats/interaction'])
  expect(at.seen.map(({ body }) => JSON.parse(body).filter)).toEqual([
    { fromDate: '2026-01-02', toDate: '2026-01-03' },
    { fromDate: '2026-01-02', toDate: '2026-01-03' },
    { fromDate: '2026-01-03', toDate: '2026-01-04' },
    { fromDate: '2026-01-04', toDate: '2026-01-05' },
    { fromDate: '2026-01-04', toDate: '2026-01-05' },
  ])
  // Of the part of a day that is left, the day before is read again.
  const { seen } = at
  seen.length = 0
  await readAll(at.connector, {
    ...{ object: 'dailyInteraction', fields: ['userId'] },
    ...{ since: new Date('2026-01-03T13:00:00Z'), until: new Date('2026-01-04T20:00:00Z') },
  })
  expect(seen.map(({ body }) => JSON.parse(body).filter.fromDate)).toEqual(['2026-01-02', '2026-01-02', '2026-01-03'])
})

it.each([
  ['dailyActivity', '/v2/stats/activity/day-by-day'],
  ['dailyInteraction', '/v2/stats/interaction'],
])('a window of %s has no day that is not over everywhere', async (object, path) => {
  const body = { usersDetailedActivities: [], peopleInteractionStats: [], fromDateTime: '2026-01-02T00:00:00-08:00' }
  await using at = await openProvider('gong', () => ({ body }), { metadata })
  const window = (until: string) => ({ since: new Date('2026-01-04T00:00:00Z'), until: new Date(until) })
  await readAll(at.connector, { object, fields: ['userId'], ...window('2026-01-05T11:59:59Z') })
  // At noon of UTC, the day before ends in the last zone.
  await readAll(at.connector, { object, fields: ['userId'], ...window('2026-01-05T12:00:00Z') })
  expect(new Set(at.seen.map(({ url }) => url.pathname))).toEqual(new Set([path]))
  const days = at.seen.map(({ body: asked }) => JSON.parse(asked).filter)
  expect([days[0].fromDate, days.at(-1).toDate]).toEqual(['2026-01-02', '2026-01-05'])
  expect(days.filter(({ toDate }) => toDate === '2026-01-05')).toHaveLength(1)
})

it('everything about calls is everything that Gong can say of them', async () => {
  await using at = await openProvider('gong', () => ({ body: { calls: [] } }), { metadata })
  await at.connector.readPage({ object: 'calls', fields: 'all' })
  const { contentSelector } = JSON.parse(at.seen[0]?.body ?? '') as { contentSelector: { exposedFields: object } }
  expect(Object.keys(contentSelector.exposedFields)).toEqual([
    'parties',
    'media',
    'content',
    'interaction',
    'collaboration',
  ])
})

it('answered scorecards are those of people and of Gong itself', async () => {
  await using at = await openProvider('gong', () => ({ body: { answeredScorecards: [] } }), { metadata })
  await at.connector.readPage({ object: 'answeredScorecards', fields: [] })
  await at.connector.readPage({ object: 'answeredScorecards', fields: [], since: new Date('2026-01-02T00:00:00Z') })
  expect(asked(at.seen)).toEqual([
    'POST /v2/stats/activity/scorecards {"filter":{"reviewMethod":"BOTH"}}',
    'POST /v2/stats/activity/scorecards {"filter":{"reviewMethod":"BOTH","reviewFromDate":"2026-01-01"}}',
  ])
})

it('a workspace without library folders has none, though Gong calls that an error', async () => {
  const none = { status: 404, body: { requestId: 'r', errors: ['No folders found'] } }
  const workspaces = [{ id: 'w1' }, { id: 'w2' }]
  await using at = await openProvider(
    'gong',
    ({ url }) => {
      if (url.pathname === '/v2/workspaces') return { body: { workspaces } }
      return url.searchParams.get('workspaceId') === 'w1' ? none : { body: { folders: [{ id: 'f1' }] } }
    },
    { metadata },
  )
  const records = await readAll(at.connector, { object: 'libraryFolders', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['f1'])
})

it('a call that a rule sends is a call that was made, once whichever rules send it; a test is answered', async () => {
  const webhooks = (await loadCatalogue({ cacheDir: testCache })).find('gong')?.file?.webhooks
  if (webhooks === undefined) throw new Error('no webhooks')
  // As in help.gong.io/docs/payload-sent-to-webhooks.
  const callData = { metaData: { id: '5599332235511222779', title: 'Ron/Speedman' }, context: [], parties: [] }
  const call = { callData, isTest: false }
  expect(parseEvents(webhooks, call, {})).toEqual([
    { name: 'call.created', id: '5599332235511222779', key: '5599332235511222779', raw: call },
  ])
  for (const payload of [{}, { callData: {} }, { callData: { metaData: null } }, [null], 'text'])
    expect(parseEvents(webhooks, payload, {})).toEqual([])
  for (const object of ['calls', 'transcripts'])
    expect(eventNamesOf(webhooks, object)?.create).toEqual(['call.created'])
  const reply = (payload: unknown) => {
    const body = Buffer.from(JSON.stringify(payload))
    return handshakeReply(webhooks, { method: 'POST', url: 'https://m.test/in', headers: {}, body }, [])
  }
  expect(reply(call)).toBeUndefined()
  expect(reply({ callData, isTest: true })).toEqual({ text: 'true' })
})
