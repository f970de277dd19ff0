import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** Reports as dev.appsflyer.com shows them: CSV with a byte order mark. */

const given = {
  metadata: { appId: 'id1234567890' },
  credential: { scheme: 'apiKey', apiKey: 'token' },
  now: () => Date.parse('2026-01-08T12:00:00Z'),
} as const
const header =
  '"Attributed Touch Type","Event Time","Install Time","Event Name","Event Value","AppsFlyer ID","Campaign"'
const since = new Date('2026-01-02T10:00:00Z')
const request = { object: 'installs', fields: ['AppsFlyer ID', 'Campaign', 'Event Value'], since }

const report =
  (...lines: string[]) =>
  ({ url }: SeenRequest): Answer => ({
    headers: { 'content-type': 'text/csv; charset=utf-8' },
    body: `\uFEFF${[header, ...(url.searchParams.get('from') === '2026-01-01' ? lines : [])].join('\r\n')}\r\n`,
  })

it('a report is read in windows of days, and a row is told by app user and time', async () => {
  const rows = [
    'click,2026-01-02 10:11:12,2026-01-02 10:11:12,install,,1700000000000-1,"Winter, ""big"""',
    'click,2026-01-02 10:11:13,2026-01-02 10:11:13,install,"{""a"":1,\n""b"":2}",1700000000000-2,',
  ]
  await using appsFlyer = await openProvider('appsFlyer', report(...rows), given)
  const records = await readAll(appsFlyer.connector, request)
  expect(records.map(({ id, fields }) => ({ id, ...fields }))).toEqual([
    {
      id: '1700000000000-1/2026-01-02%2010%3A11%3A12',
      'appsflyer id': '1700000000000-1',
      campaign: 'Winter, "big"',
      'event value': '',
    },
    {
      id: '1700000000000-2/2026-01-02%2010%3A11%3A13',
      'appsflyer id': '1700000000000-2',
      campaign: '',
      'event value': '{"a":1,\n"b":2}',
    },
  ])
  expect(asked(appsFlyer.seen)).toEqual([
    'GET /api/raw-data/export/app/id1234567890/installs_report/v5?from=2026-01-01&to=2026-01-05',
    'GET /api/raw-data/export/app/id1234567890/installs_report/v5?from=2026-01-06&to=2026-01-08',
  ])
  expect(appsFlyer.seen[0]?.headers).toMatchObject({ authorization: 'Bearer token', accept: 'text/csv' })
})

it('an in-app event without a value has an id, too', async () => {
  const rows = ['click,2026-01-02 10:11:12,2026-01-02 10:11:12,af_opened,,17-1,', ',2026-01-02 10:11:12,,af_opened,,,']
  await using appsFlyer = await openProvider('appsFlyer', report(...rows), given)
  const records = await readAll(appsFlyer.connector, { ...request, object: 'inAppEvents' })
  expect(records.map(({ id }) => id)).toEqual(['17-1/2026-01-02%2010%3A11%3A12/af_opened/', undefined])
})

it.each([
  ['a row that is cut', `${header}\nclick,2026-01-02 10:11:12,2026-`],
  ['a value that is cut', `${header}\nclick,2026-01-02 10:11:12,2026-01-02 10:11:12,install,,17-1,"Wint`],
  ['a first line that is cut', '"Attributed Touch Type","Event Time","Install Ti'],
  ['nothing', ''],
  ['a page', '<html><head><title>Maintenance</title></head></html>'],
  ['a sentence', 'The report is not ready yet.'],
  ['JSON', '{"error":"no such report"}'],
])('%s is no report, and no empty one', async (_, body) => {
  await using appsFlyer = await openProvider('appsFlyer', () => ({ body }), given)
  await expect(appsFlyer.connector.readPage(request)).rejects.toMatchObject({ class: 'unexpected_response' })
})

it('a quota that is used up is a retry, and other refusals say what they are', async () => {
  const spent = 'Your API calls limit has been reached for report type: installs_report'
  await using limited = await openProvider('appsFlyer', () => ({ status: 400, body: spent }), given)
  await expect(limited.connector.readPage(request)).rejects.toMatchObject({
    class: 'rate_limited',
    providerMessage: spent,
  })
  await using refused = await openProvider('appsFlyer', () => ({ status: 400, body: 'Invalid date range' }), given)
  await expect(refused.connector.readPage(request)).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'Invalid date range',
  })
})
