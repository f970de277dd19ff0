import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.monday.com/api-reference shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'apiKey', apiKey: 'k1' } as const

function monday({ body }: SeenRequest): Answer {
  const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> }
  if (query.includes('mutation')) return { body: { data: { create_item: { id: '9' } } } }
  if (query.includes(' updates ')) {
    const id = String(variables['page'])
    return { body: { data: { updates: variables['page'] === 3 ? [] : [{ id, text_body: 'Hello' }] } } }
  }
  const states = ['active', 'archived', 'deleted'].map((state) => ({ id: state, state }))
  if (query.includes('state: all')) {
    const [id] = (variables['id'] ?? []) as string[]
    const isLast = variables['page'] !== undefined && variables['page'] !== 1
    return { body: { data: { boards: isLast ? [] : states.filter(({ state }) => id === undefined || state === id) } } }
  }
  if (query.includes('items (ids')) {
    const wanted = (variables['id'] ?? variables['ids']) as string[]
    return { body: { data: { items: states.filter(({ state }) => wanted.includes(state)) } } }
  }
  if (!query.includes('items_page')) return { body: { data: { boards: [{ id: '1' }, { id: '2' }] } } }
  const [board] = variables['board'] as string[]
  const isLast = board === '2' || variables['cursor'] === 'c2'
  const items_page = { cursor: isLast ? null : 'c2', items: [{ id: `${board}${isLast ? 'b' : 'a'}`, state: 'active' }] }
  return { body: { data: { boards: [{ items_page }] } } }
}

it('items are read board by board, page by page', async () => {
  await using provider = await openProvider('monday', monday, { credential })
  const records = await readAll(provider.connector, { object: 'items', fields: ['board_id'] })
  const read = records.map(({ id, fields }) => `${fields['board_id']} ${id}`)
  expect(read).toEqual(['1 1a', '1 1b', '2 2b'])
})

it('updates are read page by page, and written to an item', async () => {
  await using provider = await openProvider('monday', monday, { credential })
  const page = await provider.connector.readPage({ object: 'updates', fields: ['text_body'], pageSize: 1 })
  expect(page.records).toMatchObject([{ id: '1', fields: { text_body: 'Hello' } }])
  expect(page.nextPage).toBeDefined()
  const record = { item_id: '7', body: 'Hello' }
  await provider.connector.write({ object: 'updates', type: 'create', record })
  expect(JSON.parse(provider.seen.at(-1)?.body ?? '')).toMatchObject({ variables: { item: '7', body: 'Hello' } })
})

it.each(['boards', 'items'])('of %s, those that monday.com still returns as deleted do not exist', async (object) => {
  await using provider = await openProvider('monday', monday, { credential })
  expect(await provider.connector.fetchRecord(object, 'archived', ['name'])).toMatchObject({ id: 'archived' })
  expect(await provider.connector.fetchRecord(object, 'deleted', ['name'])).toBeUndefined()
})

it('boards are read with the archived ones, and without those that were deleted', async () => {
  await using provider = await openProvider('monday', monday, { credential })
  const records = await readAll(provider.connector, { object: 'boards', fields: ['state'] })
  expect(records.map(({ id }) => id)).toEqual(['active', 'archived'])
})

it('items that were deleted are not read by their ids', async () => {
  await using provider = await openProvider('monday', monday, { credential })
  const found = await provider.connector.fetchRecords('items', ['active', 'archived', 'deleted'], ['name'])
  expect([...found.keys()]).toEqual(['active', 'archived'])
})

it('an item is made with the columns of its board', async () => {
  await using provider = await openProvider('monday', monday, { credential })
  const record = { name: 'A', board_id: '1', column_values: '{"status":{"label":"Done"}}' }
  const written = await provider.connector.write({ object: 'items', type: 'create', record })
  expect(written).toMatchObject({ success: true, recordId: '9' })
  expect(JSON.parse(provider.seen[0]?.body ?? '')).toMatchObject({
    variables: { board: '1', name: 'A', values: '{"status":{"label":"Done"}}' },
  })
})

it.each([
  ['COMPLEXITY_BUDGET_EXHAUSTED', 'rate_limited'],
  ['ResourceNotFoundException', 'not_found'],
  ['InvalidArgumentException', 'bad_request'],
])('the error %s is %s, though its status is 200', async (code, errorClass) => {
  const errors = [{ message: 'No.', extensions: { code } }]
  await using provider = await openProvider('monday', () => ({ body: { errors } }), { credential })
  const read = provider.connector.readPage({ object: 'boards', fields: ['id'] })
  await expect(read).rejects.toMatchObject({ class: errorClass, providerMessage: 'No.' })
})

it('a query that costs more than is left of the minute is not sent', async () => {
  const complexity = { after: 100, query: 6_182, reset_in_x_seconds: 21 }
  await using provider = await openProvider('monday', () => ({ body: { data: { tags: [], complexity } } }), {
    credential,
  })
  const read = () => provider.connector.readPage({ object: 'tags', fields: ['id'] })
  await read()
  const error = await read().catch((failure: unknown) => failure)
  expect(error).toMatchObject({ class: 'rate_limited' })
  expect((error as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(20_000)
  expect(provider.seen).toHaveLength(1)
  expect(JSON.parse(provider.seen[0]?.body ?? '').query).toContain('complexity { after query reset_in_x_seconds }')
})
