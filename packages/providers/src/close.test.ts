import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

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
