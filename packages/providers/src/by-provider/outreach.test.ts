import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.outreach.io shows of lists and filters. */

it('a window has both of its ends, and a value with commas is not a list', async () => {
  const prospect = { type: 'prospect', id: 1, attributes: { company: 'Acme, Inc.' } }
  await using provider = await openProvider('outreach', () => ({ body: { data: [prospect], meta: {}, links: {} } }))
  const { connector, seen } = provider
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  await readAll(connector, { object: 'prospects', fields: ['company'], ...window })
  await readAll(connector, { object: 'prospects', fields: ['company'], until: window.until })
  const filters = [{ field: 'company', operator: 'eq', value: 'Acme, Inc.' } as const]
  expect(await readAll(connector, { object: 'prospects', fields: ['company'], filters })).toHaveLength(1)
  expect(asked(seen)).toEqual([
    'GET /api/v2/prospects?page[size]=1000&newFilterSyntax=true&filter[updatedAt][gte]=2026-01-01T00:00:00.000Z&filter[updatedAt][lte]=2026-01-02T00:00:00.000Z',
    'GET /api/v2/prospects?page[size]=1000&newFilterSyntax=true&filter[updatedAt][lte]=2026-01-02T00:00:00.000Z',
    'GET /api/v2/prospects?page[size]=1000&newFilterSyntax=true&filter[company][]=Acme, Inc.',
  ])
})

it('what the API cannot change or delete is not written', async () => {
  await using provider = await openProvider('outreach', () => ({ body: { data: { type: 'call', id: 1 } } }))
  const { connector, seen } = provider
  for (const object of ['calls', 'mailings', 'sequenceStates'])
    await expect(connector.write({ object, type: 'update', id: '1', record: {} })).rejects.toMatchObject({
      class: 'unsupported_object',
    })
  for (const object of ['mailings', 'sequenceSteps', 'users'])
    await expect(connector.write({ object, type: 'delete', id: '1', record: {} })).rejects.toMatchObject({
      class: 'unsupported_object',
    })
  expect(seen).toEqual([])
})
