import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What Kit's OpenAPI document shows of sequences and snippets. */

it('sequences are created, changed and deleted', async () => {
  await using kit = await openProvider('kit', ({ method }) =>
    method === 'DELETE' ? { status: 204 } : { body: { sequence: { id: 30, name: 'Full Series' } } },
  )
  const { connector, seen } = kit
  const created = await connector.write({ object: 'sequences', type: 'create', record: { name: 'Full Series' } })
  expect(created.recordId).toBe('30')
  await connector.write({ object: 'sequences', type: 'update', id: '30', record: { active: false } })
  await connector.write({ object: 'sequences', type: 'delete', id: '30', record: {} })
  expect(asked(seen)).toEqual([
    'POST /v4/sequences {"name":"Full Series"}',
    'PUT /v4/sequences/30 {"active":false}',
    'DELETE /v4/sequences/30',
  ])
})

it('archived snippets are read, too', async () => {
  await using kit = await openProvider('kit', ({ url }) => ({
    body: {
      snippets: [{ id: url.searchParams.get('archived') === 'true' ? 6 : 5 }],
      pagination: { has_next_page: false, end_cursor: 'WzVd' },
    },
  }))
  const records = await readAll(kit.connector, { object: 'snippets', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['5', '6'])
})
