import { expect, it } from 'vitest'
import { connected } from '../testing/things-reader.testkit.ts'

const answers = () => ({ body: { ids: [{ id: '1' }, { id: '2' }] } })
const idsOnly = { object: 'things', fields: [], idsOnly: true } as const
const paths = (seen: { url: URL }[]) => seen.map(({ url }) => url.pathname + url.search)

it('a list of ids alone has the request that the file declares for it', async () => {
  const object = `read: { path: /things, records: ids, query: { fields: all } }
listIds: { path: /thing-ids, query: { fields: id } }`
  await connected(object, answers, async (connector, seen) => {
    const { records } = await connector.readPage(idsOnly)
    expect(records.map(({ id }) => id)).toEqual(['1', '2'])
    expect(paths(seen)).toEqual(['/api/thing-ids?fields=id'])
  })
})

it('a list of ids alone has no window, whatever the list uses', async () => {
  const object = `read: { path: /things, records: ids, query: { since: '{{since}}' } }
incremental: { format: rfc3339 }
listIds: { query: { fields: id } }`
  await connected(object, answers, async (connector, seen) => {
    await connector.readPage(idsOnly)
    expect(paths(seen)).toEqual(['/api/things?fields=id'])
  })
})

it('a list of ids alone sends no request for each record', async () => {
  const object = `read: { path: /things, records: ids, getEach: true }
get: { path: '/things/{{id}}', record: thing }`
  await connected(object, answers, async (connector, seen) => {
    await connector.readPage(idsOnly)
    expect(paths(seen)).toEqual(['/api/things'])
  })
})
