import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** Parameters and answers of Copper, as far as the provider file relies on them. */

const given = { metadata: { userEmail: 'ada@example.com' } }

it('leads are read with those that were converted', async () => {
  await using opened = await openProvider('copper', () => ({ body: [] }), given)
  await opened.connector.readPage({ object: 'leads', fields: ['id'] })
  const search = opened.seen.find(({ url }) => url.pathname.endsWith('/leads/search'))
  expect(JSON.parse(search?.body ?? '')).toMatchObject({ include_converted_leads: true, page_size: 200 })
})

it('activity types of users and those of Copper are two lists of one answer', async () => {
  const body = { user: [{ id: 7, category: 'user' }], system: [{ id: 1, category: 'system' }] }
  await using opened = await openProvider('copper', () => ({ body }), given)
  expect(await readAll(opened.connector, { object: 'activity_types', fields: ['id'] })).toMatchObject([{ id: '7' }])
  const system = await readAll(opened.connector, { object: 'activity_types/system', fields: ['id'] })
  expect(system).toMatchObject([{ id: '1' }])
  expect(asked(opened.seen)).toEqual(Array(2).fill('GET /developer_api/v1/activity_types'))
})
