import { expect, it } from 'vitest'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { createConnector } from './create-connector.ts'

/** Requests that name most fields themselves, and add those that are asked for besides. */

const read = `read:
  method: POST
  path: /things
  body: { query: 'things { id tags{{further}} }' }
  expressions: { further: { parts: [' {{fields|name}}'], otherwise: '' } }
  fieldsExcept: [id, tags]
  fieldsForAll: []
  customFields: { list: own, key: label, value: [text, number] }`

async function asked(fields: 'all' | string[]) {
  await using server = await startServer(() => ({
    body: [
      {
        id: 1,
        own: [
          { label: 'Size', number: 5 },
          { label: 'Color', text: 'red', number: null },
        ],
      },
    ],
  }))
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } as const }
  const connector = createConnector(thingsProvider(read), connection, plainHttp(fetch))
  const { records } = await connector.readPage({ object: 'things', fields })
  return { records, queries: server.seen.map(({ body }) => (JSON.parse(body) as { query: string }).query) }
}

it('those that the request names are not asked for twice, however they are written; everything is what it names', async () => {
  expect((await asked(['ID', 'tags', 'handle', 'price'])).queries).toEqual(['things { id tags handle,price }'])
  expect((await asked(['id'])).queries).toEqual(['things { id tags }'])
  expect((await asked('all')).queries).toEqual(['things { id tags }'])
})

it('a name that is none is refused, and nothing is sent', async () => {
  await expect(asked(['a } b { c'])).rejects.toMatchObject({ class: 'bad_request' })
})

it('the value of a custom field is the first that is there', async () => {
  expect((await asked('all')).records[0]?.fields).toMatchObject({ size: 5, color: 'red' })
})
