import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What amplitude.com/docs/apis/analytics shows, as far as the provider file relies on it. */

function amplitude({ method, url, headers, body }: SeenRequest): Answer {
  if (headers['authorization'] !== `Basic ${btoa('key:secret')}`) return { status: 401, body: 'Unauthorized' }
  if (method === 'POST') {
    const { category } = JSON.parse(body) as { category?: string }
    return category === undefined
      ? { status: 400, body: 'Invalid field' }
      : { body: { data: { id: 9, name: category } } }
  }
  switch (url.pathname) {
    case '/api/3/cohorts':
      return { body: { cohorts: [1, 2].map((day) => ({ id: `c${day}`, lastMod: 1767225600 + (day - 1) * 86400 })) } }
    case '/api/2/taxonomy/event':
      return { body: { success: true, data: [{ event_type: 'Play Song', category: null }] } }
    default:
      return { status: 404 }
  }
}

const open = (password = 'secret') =>
  openProvider('amplitude', amplitude, { credential: { scheme: 'basic', username: 'key', password } })

it('cohorts that changed and the types of events are read', async () => {
  await using provider = await open()
  const since = new Date('2026-01-02T00:00:00Z')
  const cohorts = await provider.connector.readPage({ object: 'cohorts', fields: 'all', since })
  const events = await provider.connector.readPage({ object: 'taxonomy/event', fields: 'all' })
  expect([cohorts, events].map(({ records, nextPage }) => [records.map(({ id }) => id), nextPage])).toEqual([
    [['c2'], undefined],
    [['Play Song'], undefined],
  ])
})

it('categories of annotations are created', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const create = { object: 'annotation-categories', type: 'create' } as const
  expect((await connector.write({ ...create, record: { category: 'Releases' } })).recordId).toBe('9')
  expect(asked(seen)).toEqual(['POST /api/3/annotation-categories {"category":"Releases"}'])
  await expect(connector.write({ ...create, record: {} })).rejects.toMatchObject({ class: 'bad_request' })
})

it('a wrong key is refused', async () => {
  await using provider = await open('wrong')
  const refused = provider.connector.readPage({ object: 'cohorts', fields: 'all' })
  await expect(refused).rejects.toMatchObject({ class: 'auth_invalidated' })
})
