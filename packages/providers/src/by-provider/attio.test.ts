import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What docs.attio.com/rest-api/endpoint-reference/entries shows of entries, and the recorded answers do not. */

it('an entry is made in the list that it names, changed and deleted by the id that reading gives', async () => {
  const entry = { data: { id: { list_id: 'l1', entry_id: 'e1' } } }
  await using at = await openProvider('attio', ({ method }) => ({ body: method === 'DELETE' ? {} : entry }))
  const object = 'list_entries'
  const parent = { parent_record_id: 'r1', parent_object: 'people' }
  const record = { list: 'sales', ...parent, stage: 'Won' }
  expect(await at.connector.write({ object, type: 'create', record })).toMatchObject({ recordId: 'l1/e1' })
  await at.connector.write({ object, type: 'update', id: 'l1/e1', record: { stage: 'Lost' } })
  await at.connector.write({ object, type: 'delete', id: 'l1/e1', record: {} })
  expect(asked(at.seen)).toEqual([
    'POST /v2/lists/sales/entries {"data":{"parent_record_id":"r1","parent_object":"people","entry_values":{"stage":"Won"}}}',
    'PUT /v2/lists/l1/entries/e1 {"data":{"entry_values":{"stage":"Lost"}}}',
    'DELETE /v2/lists/l1/entries/e1',
  ])
})
