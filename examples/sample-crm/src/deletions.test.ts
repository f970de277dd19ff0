import { expect, test } from 'vitest'
import { startSampleCrm } from './start-sample-crm.ts'

interface List {
  data: { id: string; deleted_at: string }[]
  next_cursor: string | null
}

test('a deleted contact is in the list of deletions, by the time of its deletion', async () => {
  let now = Date.parse('2026-03-01T00:00:00Z')
  await using stack = new AsyncDisposableStack()
  const crm = await startSampleCrm({ rateLimit: 0, contacts: 10, clock: () => now })
  stack.defer(() => crm.close())
  const request = (path: string, method = 'GET') =>
    fetch(`${crm.url}${path}`, { method, headers: { 'X-Api-Key': 'demo-key' } })
  const list = async (query: string) => (await (await request(`/contacts/deleted?${query}`)).json()) as List

  for (const id of ['con_0000003', 'con_0000001', 'con_0000002']) {
    now += 60_000
    expect((await request(`/contacts/${id}`, 'DELETE')).status).toBe(204)
  }
  const first = await list('limit=2')
  expect(first).toEqual({
    data: [
      { id: 'con_0000003', deleted_at: '2026-03-01T00:01:00.000Z' },
      { id: 'con_0000001', deleted_at: '2026-03-01T00:02:00.000Z' },
    ],
    next_cursor: '2',
  })
  expect(await list(`limit=2&cursor=${first.next_cursor}`)).toMatchObject({
    data: [{ id: 'con_0000002' }],
    next_cursor: null,
  })
  const window = 'deleted_since=2026-03-01T00:02:00Z&deleted_before=2026-03-01T00:03:00Z'
  expect((await list(window)).data.map(({ id }) => id)).toEqual(['con_0000001'])
  expect((await request('/contacts/deleted?cursor=x')).status).toBe(400)
})
