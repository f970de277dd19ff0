import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

it('clients are changed by name and phone number, appointments are canceled', async () => {
  await using provider = await openProvider('acuityScheduling', ({ method }) => ({
    body: method === 'GET' ? [{ firstName: 'Ann', lastName: 'Lee', phone: '555/1' }] : { id: 3, canceled: true },
  }))
  const { connector } = provider
  const { records } = await connector.readPage({ object: 'clients', fields: [] })
  expect(records).toMatchObject([{ id: 'Ann/Lee/555%2F1' }])
  await connector.write({ object: 'clients', type: 'update', id: records[0]?.id ?? '', record: { notes: 'x' } })
  await connector.write({ object: 'appointments', type: 'delete', id: '3', record: {} })
  await connector.readPage({ object: 'appointments', fields: [] })
  expect(asked(provider.seen)).toEqual([
    'GET /api/v1/clients',
    'PUT /api/v1/clients?firstName=Ann&lastName=Lee&phone=555/1 {"notes":"x"}',
    'PUT /api/v1/appointments/3/cancel {}',
    'GET /api/v1/appointments?max=1000000&showall=true&direction=ASC',
  ])
})

it('an account is also connected with its user id and API key', async () => {
  await using provider = await openProvider('acuityScheduling', () => ({ body: [] }))
  expect(provider.entry.authentication.map(({ scheme }) => scheme)).toEqual(['oauth2', 'basic'])
})
