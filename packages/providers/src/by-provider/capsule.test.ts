import { expect, it } from 'vitest'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.capsulecrm.com shows of tasks, and the recorded answers do not. */

it('completed tasks are read, too: a list without a status has open ones only', async () => {
  const tasks: Record<string, unknown[]> = { OPEN: [{ id: 1 }], COMPLETED: [{ id: 2 }] }
  await using provider = await openProvider('capsule', ({ url }) => ({
    body: { tasks: tasks[url.searchParams.get('status') ?? 'OPEN'] },
  }))
  const records = await readAll(provider.connector, { object: 'tasks', fields: ['status'] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
})
