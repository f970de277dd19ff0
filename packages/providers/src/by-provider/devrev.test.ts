import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What DevRev's SDK says of lists with a filter for the time of change. */

const credential = { scheme: 'custom', values: { token: 't1' } } as const

it('a list of vista groups without any may lack them', async () => {
  await using provider = await openProvider('devrev', () => ({ body: {} }), { credential })
  expect(await readAll(provider.connector, { object: 'vistas.groups', fields: [] })).toEqual([])
})

it.each([
  ['works', 'works'],
  ['dev-users', 'dev_users'],
  ['surveys.responses', 'survey_responses'],
])('%s: a window is requested by POST, page by page', async (object, records) => {
  await using provider = await openProvider(
    'devrev',
    ({ method, body }) => {
      const isLast = method === 'GET' || body.includes('cursor')
      return { body: { [records]: [{ id: isLast ? 'b' : 'a' }], ...(!isLast && { next_cursor: 'c2' }) } }
    },
    { credential },
  )
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  const changed = await readAll(provider.connector, { object, fields: [], ...window })
  expect(changed.map(({ id }) => id)).toEqual(['a', 'b'])
  await readAll(provider.connector, { object, fields: [] })
  const range =
    '"modified_date":{"type":"range","after":"2026-01-01T00:00:00.000Z","before":"2026-01-02T00:00:00.000Z"}'
  expect(asked(provider.seen)).toEqual([
    `POST /${object}.list {"limit":99,${range}}`,
    `POST /${object}.list {"limit":99,"cursor":"c2",${range}}`,
    `GET /${object}.list?limit=99`,
  ])
})
