import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.close.com shows as answers, as far as the provider file relies on it. */

it('tasks are those of all types, the oldest first', async () => {
  await using provider = await openProvider('close', ({ url }) => {
    const tasks = [
      { id: 'task_1', _type: 'lead' },
      { id: 'task_2', _type: 'missed_call' },
    ]
    const data = tasks.filter(({ _type }) => _type === 'lead' || url.searchParams.get('_type') === 'all')
    return { body: { data, has_more: false } }
  })
  const found = await readAll(provider.connector, { object: 'task', fields: 'all' })
  expect(found.map(({ id }) => id)).toEqual(['task_1', 'task_2'])
  expect(asked(provider.seen)).toEqual(['GET /api/v1/task?_skip=0&_limit=100&_type=all&_order_by=date_created'])
})

it('opportunities and tasks that changed are requested by their time, without an end', async () => {
  await using provider = await openProvider('close', () => ({ body: { data: [], has_more: false } }))
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  for (const object of ['opportunity', 'task']) await readAll(provider.connector, { object, fields: 'all', ...window })
  const since = 'date_updated__gte=2026-01-01T00:00:00.000Z'
  expect(asked(provider.seen)).toEqual([
    `GET /api/v1/opportunity?_skip=0&_limit=100&_order_by=date_created&${since}`,
    `GET /api/v1/task?_skip=0&_limit=100&_type=all&_order_by=date_created&${since}`,
  ])
  const filters = [{ field: 'contact_id', operator: 'eq', value: 'cont_1' }] as const
  const refused = provider.connector.search({ object: 'activity', fields: ['id'], filters: [...filters] })
  await expect(refused).rejects.toThrow()
  expect(provider.seen).toHaveLength(2)
})
