import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What customer.io/docs/api/app shows as answers, as far as the provider file relies on it. */

it('an update of a webhook keeps what the caller leaves out', async () => {
  const webhook = { id: 4, name: 'mine', endpoint: 'https://example.com/webhook', events: ['email_failed'] }
  const answer = ({ method, body }: SeenRequest): Answer => ({ body: method === 'GET' ? webhook : JSON.parse(body) })
  await using provider = await openProvider('customerJourneysApp', answer)
  const request = { object: 'reporting_webhooks', type: 'update', id: '4', record: { disabled: true } } as const
  expect(await provider.connector.write(request)).toMatchObject({ success: true, recordId: '4' })
  expect(asked(provider.seen)).toEqual([
    'GET /v1/reporting_webhooks/4',
    `PUT /v1/reporting_webhooks/4 ${JSON.stringify({ ...webhook, disabled: true })}`,
  ])
})

it('a snippet is known by its name', async () => {
  const snippet = { name: 'address', value: 'Main Street 1', updated_at: 1582500000 }
  const answer = ({ method }: SeenRequest): Answer => ({
    body: method === 'GET' ? { snippets: [snippet] } : { snippet },
  })
  await using provider = await openProvider('customerJourneysApp', answer)
  const { connector } = provider
  expect(await connector.readPage({ object: 'snippets', fields: ['value'] })).toMatchObject({
    records: [{ id: 'address' }],
    nextPage: undefined,
  })
  const record = { value: 'Main Street 1' }
  await connector.write({ object: 'snippets', type: 'update', id: 'address', record })
  expect(asked(provider.seen)).toEqual([
    'GET /v1/snippets',
    'PUT /v1/snippets {"value":"Main Street 1","name":"address"}',
  ])
})
