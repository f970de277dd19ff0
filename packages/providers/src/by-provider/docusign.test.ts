import { expect, it } from 'vitest'
import type { SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.docusign.com shows as answers, as far as the provider file relies on it. */

const given = { metadata: { server: 'na3', accountId: 'a1' } }
const path = '/restapi/v2.1/accounts/a1/envelopes'

it('envelopes that changed are read by offset, and all of them since a first day', async () => {
  const page = ({ url }: SeenRequest) => ({
    body: {
      envelopes: [{ envelopeId: url.searchParams.get('start_position') === '0' ? 'e1' : 'e2' }],
      totalSetSize: '2',
    },
  })
  await using provider = await openProvider('docusign', page, given)
  const since = new Date('2026-01-01T00:00:00Z')
  const until = new Date('2026-01-02T00:00:00Z')
  const request = { object: 'envelopes', fields: ['status'], since, until, pageSize: 1 }
  const first = await provider.connector.readPage(request)
  expect(first.records.map(({ id }) => id)).toEqual(['e1'])
  await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  await provider.connector.readPage({ object: 'envelopes', fields: ['status'] })
  const rest = 'from_to_status=changed&order_by=last_modified&order=asc&include=recipients'
  const window = 'from_date=2026-01-01T00:00:00.000Z&to_date=2026-01-02T00:00:00.000Z'
  expect(asked(provider.seen)).toEqual([
    `GET ${path}?count=1&start_position=0&${window}&${rest}`,
    `GET ${path}?count=1&start_position=1&${window}&${rest}`,
    `GET ${path}?count=100&start_position=0&from_date=2000-01-01T00:00:00Z&${rest}`,
  ])
})

it('an answer without the list has no templates', async () => {
  await using provider = await openProvider('docusign', () => ({ body: { resultSetSize: '0' } }), given)
  expect(await readAll(provider.connector, { object: 'templates', fields: ['name'] })).toEqual([])
})
