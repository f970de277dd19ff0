import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

const account = { customerId: '1234567890' }
const campaign = (id: number) => `customers/1234567890/campaigns/${id}`
const queryOf = (body: string) => (JSON.parse(body) as { query: string }).query

it('a list is a query, reached through the manager account where there is one; no developer token is sent', async () => {
  const answer = () => ({ body: { results: [{ campaign: { resourceName: campaign(1), id: '1', name: 'Spring' } }] } })
  for (const [metadata, login] of [
    [account, undefined],
    [{ ...account, loginCustomerId: '9876543210' }, '9876543210'],
  ] as const) {
    await using ads = await openProvider('googleAds', answer, { metadata })
    const records = await readAll(ads.connector, { object: 'campaigns', fields: ['name'] })
    expect(records.map(({ id, fields }) => [id, fields])).toEqual([[campaign(1), { name: 'Spring' }]])
    const [seen] = ads.seen
    expect([seen?.method, seen?.url.pathname, seen?.headers['login-customer-id']]).toEqual([
      'POST',
      '/v25/customers/1234567890/googleAds:search',
      login,
    ])
    expect(seen?.headers).not.toHaveProperty('developer-token')
    expect(queryOf(seen?.body ?? '')).toMatch(
      /^SELECT campaign\.resource_name, campaign\.id, .* FROM campaign WHERE campaign\.status != 'REMOVED'$/,
    )
  }
})

it('pages follow by token, and a query without rows is an empty list', async () => {
  const pages = [{ results: [{ userList: { resourceName: 'a' } }], nextPageToken: 'p2' }, {}]
  await using ads = await openProvider('googleAds', () => ({ body: pages.shift() }), { metadata: account })
  expect((await readAll(ads.connector, { object: 'userLists', fields: 'all' })).map(({ id }) => id)).toEqual(['a'])
  expect(ads.seen.map(({ body }) => (JSON.parse(body) as { pageToken?: string }).pageToken)).toEqual([undefined, 'p2'])
})

it('changes come from change_status, by the time of any account; removed records are the deleted ones', async () => {
  const change = (id: number) => ({
    changeStatus: { campaign: campaign(id), lastChangeDateTime: `2026-03-04 0${id}:00:00.000001` },
  })
  await using ads = await openProvider(
    'googleAds',
    ({ body }) => {
      const query = queryOf(body)
      if (query.includes("resource_status = 'REMOVED'")) return { body: { results: [change(3)] } }
      if (query.includes('FROM change_status')) return { body: { results: [change(1), change(2)] } }
      // The second one was removed after the list of changes.
      const found = query.includes(`'${campaign(1)}'`) ? [{ campaign: { resourceName: campaign(1), name: 'One' } }] : []
      return { body: found.length > 0 ? { results: found } : {} }
    },
    { metadata: account, now: () => Date.parse('2026-03-04T16:00:00Z') },
  )
  const since = new Date('2026-03-04T15:05:00Z')
  const read = { object: 'campaigns', fields: ['name'], since, deletions: true }
  const records = await readAll(ads.connector, read)
  expect(records.map(({ id, deleted }) => [id, deleted])).toEqual([
    [campaign(1), undefined],
    [campaign(3), true],
  ])
  const [changes] = ads.seen
  expect(queryOf(changes?.body ?? '')).toBe(
    "SELECT change_status.last_change_date_time, change_status.campaign FROM change_status WHERE change_status.resource_type = 'CAMPAIGN' AND change_status.resource_status != 'REMOVED' AND change_status.last_change_date_time >= '2026-03-04 03:00:00' AND change_status.last_change_date_time <= '2099-12-31 23:59:59' ORDER BY change_status.last_change_date_time LIMIT 10000",
  )
})

it('a window from before the kept changes reads the whole list, and the deletions that are kept', async () => {
  const now = () => Date.parse('2026-11-28T00:00:00Z')
  await using ads = await openProvider('googleAds', () => ({ body: {} }), { metadata: account, now })
  const read = { object: 'campaigns', fields: ['name'], since: new Date('2026-03-04T15:05:00Z'), deletions: true }
  const page = await ads.connector.readPage(read)
  expect(page).toMatchObject({ records: [], missedDeletions: expect.stringContaining('88 days') })
  const [list, deletions] = ads.seen.map(({ body }) => queryOf(body))
  expect(list).toContain(' FROM campaign ')
  // Google refuses a time of more than 90 days ago.
  expect(/last_change_date_time >= '(\S+)/.exec(deletions ?? '')?.[1]).toBe('2026-08-31')
})

it('more changes than a query may have are read from the time of the last one', async () => {
  const times = Array.from({ length: 10_001 }, (_, at) => `2026-03-04 12:00:00.${String(at).padStart(6, '0')}`)
  const removed = times.map((lastChangeDateTime, at) => ({
    changeStatus: { lastChangeDateTime, campaign: campaign(at) },
  }))
  await using ads = await openProvider(
    'googleAds',
    ({ body }) => {
      const query = queryOf(body)
      if (!query.includes("resource_status = 'REMOVED'")) return { body: {} }
      const from =
        [...query.matchAll(/last_change_date_time >= '([^']+)'/g)]
          .map(([, time = '']) => time)
          .sort()
          .at(-1) ?? ''
      const after = removed.filter(({ changeStatus }) => changeStatus.lastChangeDateTime >= from)
      return { body: { results: after.slice(0, 10_000) } }
    },
    { metadata: account, now: () => Date.parse('2026-03-05T00:00:00Z') },
  )
  const read = { object: 'campaigns', fields: ['name'], since: new Date('2026-03-04T15:05:00Z'), deletions: true }
  expect(new Set((await readAll(ads.connector, read)).map(({ id }) => id)).size).toBe(10_001)
})

it('writes are mutations, with the names of the changed fields', async () => {
  await using ads = await openProvider('googleAds', () => ({ body: { results: [{ resourceName: campaign(5) }] } }), {
    metadata: account,
  })
  const { connector } = ads
  expect(await connector.write({ object: 'campaigns', type: 'create', record: { name: 'New' } })).toMatchObject({
    recordId: campaign(5),
  })
  await connector.write({
    object: 'campaigns',
    type: 'update',
    id: campaign(5),
    record: { name: 'N', networkSettings: { targetGoogleSearch: true, targetSearchNetwork: null } },
  })
  await connector.write({ object: 'campaigns', type: 'delete', id: campaign(5), record: {} })
  const path = 'POST /v25/customers/1234567890/campaigns:mutate'
  expect(asked(ads.seen)).toEqual([
    `${path} {"operations":[{"create":{"name":"New"}}]}`,
    `${path} {"operations":[{"update":{"name":"N","networkSettings":{"targetGoogleSearch":true,"targetSearchNetwork":null},"resourceName":"${campaign(5)}"},"updateMask":"name,networkSettings.targetGoogleSearch,networkSettings.targetSearchNetwork"}]}`,
    `${path} {"operations":[{"remove":"${campaign(5)}"}]}`,
  ])
})

it('values of a query cannot end it', async () => {
  await using ads = await openProvider('googleAds', () => ({ body: {} }), { metadata: account })
  const id = "x' OR campaign.id > 0 \\"
  expect(await ads.connector.fetchRecord('campaigns', id, 'all')).toBeUndefined()
  expect(queryOf(ads.seen[0]?.body ?? '')).toContain("campaign.resource_name = 'x\\' OR campaign.id > 0 \\\\' AND")
})

it('an exhausted quota is a rate limit, in the words of Google', async () => {
  const errors = [
    { errorCode: { quotaError: 'RESOURCE_EXHAUSTED' }, message: 'Too many requests. Retry in 30 seconds.' },
  ]
  const error = {
    code: 429,
    message: 'Resource has been exhausted.',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ errors }],
  }
  await using ads = await openProvider('googleAds', () => ({ status: 429, body: { error } }), { metadata: account })
  await expect(ads.connector.readPage({ object: 'customers', fields: 'all' })).rejects.toMatchObject({
    class: 'rate_limited',
    providerMessage: 'Too many requests. Retry in 30 seconds.',
  })
})
