import { expect, it } from 'vitest'
import { asked, openProvider } from './testing/open-provider.testkit.ts'

/** What developer.salesloft.com shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'oauth2', accessToken: 'token' } as const

it('custom fields are written where reads find them', async () => {
  const answer = () => ({ body: { data: { id: 7, first_name: 'Ada', custom_fields: { hobby: 'chess' } } } })
  await using provider = await openProvider('salesloft', answer, { credential })
  const { connector } = provider
  const object = 'people'
  const record = { first_name: 'Ada', hobby: 'chess', owner_id: 3 }
  expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: '7' })
  await connector.write({ object, type: 'update', id: '7', record: { custom_fields: { hobby: 'go' } } })
  expect(asked(provider.seen)).toEqual([
    'POST /v2/people {"first_name":"Ada","custom_fields":{"hobby":"chess"},"owner_id":3}',
    'PUT /v2/people/7 {"custom_fields":{"hobby":"go"}}',
  ])
  expect(await connector.fetchRecord(object, '7', ['hobby'])).toMatchObject({ fields: { hobby: 'chess' } })
})

it('cadence memberships are made by parameters', async () => {
  await using provider = await openProvider('salesloft', () => ({ body: { data: { id: 1 } } }), { credential })
  const record = { person_id: 7, cadence_id: 5 }
  await provider.connector.write({ object: 'cadence_memberships', type: 'create', record })
  expect(provider.seen[0]?.url.search).toBe('?person_id=7&cadence_id=5')
})
