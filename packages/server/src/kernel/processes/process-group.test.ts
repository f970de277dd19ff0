import { expect, it, vi } from 'vitest'
import { GroupCounts } from './index.ts'
import { createTestGroup } from './process-group.testkit.ts'

it('a message reaches all other processes, or the one that it names, by its topic', async () => {
  const [one, two, three] = createTestGroup(3)
  const received: unknown[] = []
  for (const process of [one, two, three])
    process?.follow('a', (message, from) => received.push([process.number, message, from]))
  one?.send('a', 'all')
  one?.send('b', 'nobody follows')
  three?.send('a', 'only two', 2)
  await expect
    .poll(() => received)
    .toEqual([
      [2, 'all', 1],
      [3, 'all', 1],
      [2, 'only two', 3],
    ])
})

it('counts are sent together', async () => {
  const [one, two] = createTestGroup(2)
  const received = new Map<string, number>()
  if (!one || !two) throw new Error('no group')
  const send = vi.spyOn(one, 'send')
  new GroupCounts(two, 'calls', (key, count) => received.set(key, (received.get(key) ?? 0) + count))
  const counts = new GroupCounts(one, 'calls', () => undefined)
  for (let n = 0; n < 100; n++) counts.add(n % 2 === 0 ? 'even' : 'odd', 1)
  await expect
    .poll(() => [...received])
    .toEqual([
      ['even', 50],
      ['odd', 50],
    ])
  expect(send).toHaveBeenCalledTimes(1)
})
