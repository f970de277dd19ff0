import { expect, it } from 'vitest'
import { openProvider } from '../testing/open-provider.testkit.ts'
import { connected } from '../testing/things-reader.testkit.ts'

const fields = Array.from({ length: 900 }, (_, at) => `A_long_name_of_a_field_${at}__c`)

it('a request whose URL no server takes is not sent, and the error says what to do', async () => {
  const object = "read: { path: /things, query: { fields: '{{fields}}' } }"
  await connected(
    object,
    () => ({ body: [] }),
    async (connector, seen) => {
      const read = connector.readPage({ object: 'things', fields })
      await expect(read).rejects.toMatchObject({ class: 'bad_request' })
      await expect(read).rejects.toThrow('Select fewer fields')
      expect(seen).toEqual([])
      await connector.readPage({ object: 'things', fields: fields.slice(0, 400) })
      expect(seen).toHaveLength(1)
    },
  )
})

it('searches, records by id, writes and next pages have the same limit', async () => {
  const long = 'x'.repeat(20_000)
  const object = `read: { path: /things, records: things, paging: { kind: nextUrl, next: next } }
search:
  query: { name: '{{value}}' }
  expressions: { value: { parts: [{ each: filters, text: '{{item.value}}' }] } }
get: { path: '/things/{{id}}' }
write: { delete: { path: '/things/{{id}}' } }`
  await connected(
    object,
    () => ({ body: { things: [], next: `/things?after=${long}` } }),
    async (connector, seen) => {
      const things = { object: 'things', fields: 'all' } as const
      const { nextPage = '' } = await connector.readPage(things)
      expect(seen).toHaveLength(1)
      for (const send of [
        () => connector.readPage({ ...things, page: nextPage }),
        () => connector.search({ ...things, filters: [{ field: 'name', operator: 'eq', value: long }] }),
        () => connector.fetchRecord('things', long, 'all'),
        () => connector.write({ object: 'things', type: 'delete', id: long, record: {} }),
      ])
        await expect(send()).rejects.toMatchObject({
          class: 'bad_request',
          message: expect.stringContaining('its URL has'),
        })
      expect(seen).toHaveLength(1)
    },
  )
})

it('Salesforce: more fields than twelve requests have room for are refused before anything is sent', async () => {
  const many = Array.from({ length: 5_000 }, (_, at) => `A_long_name_of_a_field_${at}__c`)
  await using salesforce = await openProvider('salesforce', () => ({ body: { records: [] } }), {
    metadata: { workspace: 'acme' },
  })
  const read = salesforce.connector.readPage({ object: 'account', fields: many })
  await expect(read).rejects.toMatchObject({ class: 'bad_request' })
  await expect(read).rejects.toThrow('Select fewer fields')
  expect(salesforce.seen).toEqual([])
})
