import pg from 'pg'
import { expect, test } from 'vitest'
import { createBatches } from './batches.ts'

/** Records the batches that run; each waits until `release` is called. */
function recorded(fails: (items: number[]) => Error | undefined = () => undefined) {
  const batches: number[][] = []
  const waiting: (() => void)[] = []
  const run = createBatches<number, string>({
    itemsMax: 3,
    async run(key, items) {
      batches.push(items)
      await new Promise<void>((resolve) => waiting.push(resolve))
      const error = fails(items)
      if (error) throw error
      return items.map((item) => `${key}${item}`)
    },
  })
  const release = async () => {
    for (const resolve of waiting.splice(0)) resolve()
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  }
  return { batches, run, release }
}
const turn = () => new Promise(setImmediate)
const rejected = () => {
  const error = new pg.DatabaseError('rejected', 0, 'error')
  error.severity = 'ERROR'
  return error
}

test('pieces of one turn share a batch, and each gets its own result', async () => {
  const { batches, run, release } = recorded()
  const results = Promise.all([run('a', 1), run('a', 2), run('b', 3)])
  await turn()
  await release()
  expect(batches).toEqual([[1, 2], [3]])
  expect(await results).toEqual(['a1', 'a2', 'b3'])
})

test('while two batches run, others wait and share the next, up to its maximum', async () => {
  const { batches, run, release } = recorded()
  const results: Promise<string>[] = []
  for (const item of [1, 2]) {
    results.push(run('a', item))
    await turn()
  }
  for (const item of [3, 4, 5, 6]) results.push(run('a', item))
  await turn()
  expect(batches).toEqual([[1], [2]])
  await release()
  expect(batches).toEqual([[1], [2], [3, 4, 5], [6]])
  await release()
  expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6'])
})

test('one piece that PostgreSQL rejects does not fail the others', async () => {
  const { batches, run, release } = recorded((items) => (items.includes(2) ? rejected() : undefined))
  const results = Promise.allSettled([run('a', 1), run('a', 2), run('a', 3)])
  for (let n = 0; n < 4; n++) {
    await turn()
    await release()
  }
  expect((await results).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    'a1',
    'failed',
    'a3',
  ])
  expect(batches).toEqual([[1, 2, 3], [1], [2], [3]])
})

test('nothing runs again after the connection broke, because it may have been committed', async () => {
  const { batches, run, release } = recorded(() => new Error('Connection terminated unexpectedly'))
  const results = Promise.allSettled([run('a', 1), run('a', 2)])
  await turn()
  await release()
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(batches).toEqual([[1, 2]])
})
