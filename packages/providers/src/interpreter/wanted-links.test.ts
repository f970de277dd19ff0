import { expect, it } from 'vitest'
import { createConnector } from '../index.ts'
import { entryOf } from '../testing/provider.testkit.ts'
import { wantedLinks } from './wanted-links.ts'

const yaml = `name: test
baseUrl: https://api.example.com
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
objects:
  payments:
    read:
      path: /payments
      queryEach: [{ each: links, name: 'expand[]', value: 'data.{{item}}' }]
      links: [customer, source, source.customer]
      records: data
    get: { path: '/payments/{{id}}', queryEach: [{ each: links, name: 'expand[]', value: '{{item}}' }] }
`

it('the innermost link that a nested field lies in is asked for, and nothing for the link itself', () => {
  const declared = ['customer', 'source', 'source.customer']
  expect(wantedLinks(["$['source']['customer']['email']", "$['source']['amount']"], declared)).toEqual([
    'source.customer',
  ])
  expect(wantedLinks(['customer', "$['customer']", "$['customers']['email']", "$['metadata']['a']"], declared)).toEqual(
    [],
  )
  expect(wantedLinks(["$['customer']['email']", "$['source']['amount']"], declared)).toEqual(['customer', 'source'])
  expect(wantedLinks('all', declared)).toEqual([])
})

it('reads of lists and of one record ask for them', async () => {
  const asked: string[] = []
  const connector = createConnector(
    entryOf(yaml),
    { metadata: {}, credential: { scheme: 'apiKey', apiKey: 'key' } },
    async ({ url }) => {
      asked.push(decodeURIComponent(new URL(url).search))
      return { status: 200, headers: {}, body: '{"id":1,"customer":{"email":"a@b.c"},"data":[]}' }
    },
  )
  const fields = ["$['customer']['email']"]
  await connector.readPage({ object: 'payments', fields })
  expect((await connector.fetchRecord('payments', '1', fields))?.fields).toEqual({ "$['customer']['email']": 'a@b.c' })
  await connector.readPage({ object: 'payments', fields: ['customer'] })
  expect(asked).toEqual(['?expand[]=data.customer', '?expand[]=customer', ''])
})

it('links that no request names are a fault of the file', () => {
  expect(() => entryOf(yaml.replace(/ {6}queryEach.*\n/, ''))).toThrow('needs a request that uses {{links}}')
})
