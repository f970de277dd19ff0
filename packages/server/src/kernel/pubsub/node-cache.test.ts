import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, endSession, type TestDatabase } from '../../testkit/test-database.ts'
import { newId } from '../db/index.ts'
import { createLogger, createMetrics } from '../telemetry/index.ts'
import { NodeCache, PubSub, publish, type Topic, topic } from './index.ts'

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
})
afterAll(() => testDatabase.drop())

const maxAgeMs = 10_000
let time: number
let loads: string[]
let topics = 0
let changes: Topic<string>
let pid: number
beforeEach(() => {
  time = 1_000_000
  loads = []
  changes = topic(`cache_${++topics}`)
})

interface Rules {
  invalidates?: 'the key' | 'matches'
  refreshesAhead?: boolean
  keepsMissing?: boolean
  disconnectedMaxAgeMs?: number
}

/** A cache on a connected node. `value` is what the database has. */
async function startCache(value: (key: string) => Promise<string | undefined> | string | undefined, rules: Rules = {}) {
  const { database } = testDatabase
  const pubsub = new PubSub({
    database: {
      connect: async () => {
        const client = await database.connect!()
        pid = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0
        return client
      },
    },
    newId,
    log: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
  })
  onTestFinished(() => pubsub.close())
  await pubsub.subscribe(changes, { receive: () => undefined, missed: () => undefined }).ready
  const { invalidates = 'the key', ...options } = rules
  const cache = new NodeCache<string, undefined, string>({
    pubsub,
    now: () => new Date(time),
    entriesMax: 100,
    maxAgeMs,
    topic: changes,
    invalidates: invalidates === 'the key' ? (key) => key : (text) => (entry) => entry.value === text,
    load: async (key) => {
      loads.push(key)
      return await value(key)
    },
    ...options,
  })
  return { cache, pubsub, get: (key: string) => cache.get(key, undefined) }
}

test('a value is loaded once, however many ask for it at the same time', async () => {
  const { get } = await startCache((key) => `value of ${key}`)
  expect(await Promise.all([get('a'), get('a'), get('a')])).toEqual(Array(3).fill('value of a'))
  await get('a')
  expect(loads).toEqual(['a'])
})

test('a change on another node invalidates the key that it names', async () => {
  let stored = 'old'
  const { get } = await startCache(() => stored)
  expect(await get('a')).toBe('old')
  stored = 'new'
  await publish(changes, ['a']).execute(testDatabase.database.system)
  await vi.waitFor(async () => expect(await get('a')).toBe('new'), 20_000)
})

test('a change may invalidate the entries that it matches, and leaves the others', async () => {
  const { cache, pubsub, get } = await startCache((key) => `value of ${key}`, { invalidates: 'matches' })
  await Promise.all([get('a'), get('b')])
  pubsub.notifyLocal(changes, 'value of a')
  expect([cache.peek('a', undefined), cache.peek('b', undefined)]).toEqual([undefined, 'value of b'])
})

test.each(['the key', 'matches'] as const)(
  'a value that was loading while a change arrived is answered and not kept: by %s',
  async (invalidates) => {
    const loading = Promise.withResolvers<string>()
    const { cache, pubsub, get } = await startCache(() => loading.promise, { invalidates })
    const waiting = get('a')
    pubsub.notifyLocal(changes, invalidates === 'the key' ? 'a' : 'something else')
    loading.resolve('old')
    expect(await waiting).toBe('old')
    expect(cache.peek('a', undefined)).toBeUndefined()
  },
)

test('a value that is loaded again while a change arrived is not kept either', async () => {
  let next = Promise.resolve('first')
  const { cache, pubsub, get } = await startCache(() => next, { invalidates: 'matches' })
  await get('a')
  const loading = Promise.withResolvers<string>()
  next = loading.promise
  const again = cache.reload('a', undefined)
  pubsub.notifyLocal(changes, 'second')
  loading.resolve('second')
  expect(await again).toBe('second')
  expect(cache.peek('a', undefined)).toBeUndefined()
})

test('a peek finds what is kept, and nothing that was invalidated, reloaded or deleted in the same millisecond', async () => {
  let value = 'first'
  const { cache, pubsub, get } = await startCache(() => value)
  const peek = () => cache.peek('a', undefined)
  expect(peek()).toBeUndefined()
  await get('a')
  expect([peek(), peek()]).toEqual(['first', 'first'])
  pubsub.notifyLocal(changes, 'a')
  expect(peek()).toBeUndefined()
  await get('a')
  expect(peek()).toBe('first')
  value = 'second'
  await cache.reload('a', undefined)
  expect(peek()).toBe('second')
  cache.delete('a')
  expect(peek()).toBeUndefined()
  await get('a')
  expect(peek()).toBe('second')
  time += maxAgeMs + 1
  expect(peek()).toBeUndefined()
})

test('a value lives no longer than its age, whatever is notified', async () => {
  const { cache, get } = await startCache((key) => key)
  await get('a')
  time += maxAgeMs - 1
  expect(cache.peek('a', undefined)).toBe('a')
  time += 2
  expect(cache.peek('a', undefined)).toBeUndefined()
})

test('after a lost connection nothing is kept that was loaded before', async () => {
  let stored = 'old'
  const { get } = await startCache(() => stored)
  await get('a')
  stored = 'new'
  await endSession(testDatabase, pid)
  await vi.waitFor(async () => expect(await get('a')).toBe('new'), 20_000)
})

test('while notifications cannot be received, a shorter age holds', async () => {
  const { cache, pubsub, get } = await startCache((key) => key, { disconnectedMaxAgeMs: 1_000 })
  let isDisconnected = false
  pubsub.subscribe(changes, {
    receive: () => undefined,
    missed: () => undefined,
    disconnected() {
      isDisconnected = true
    },
  })
  await get('a')
  await endSession(testDatabase, pid)
  await vi.waitUntil(() => isDisconnected, { timeout: 20_000, interval: 1 })
  expect(cache.peek('a', undefined)).toBe('a')
  time += 1_000
  expect(cache.peek('a', undefined)).toBeUndefined()
})

test('a value in use is loaded again in the background after half of its age', async () => {
  const { cache, get } = await startCache((key) => `${key} ${loads.length}`, { refreshesAhead: true })
  await get('a')
  time += maxAgeMs / 2 - 1
  expect(cache.peek('a', undefined)).toBe('a 1')
  expect(loads).toEqual(['a'])
  time += 2
  expect(cache.peek('a', undefined)).toBe('a 1')
  await vi.waitFor(() => expect(cache.peek('a', undefined)).toBe('a 2'))
})

test('that there is no value is kept only where that is asked for', async () => {
  const { get } = await startCache(() => undefined)
  await get('a')
  await get('a')
  expect(loads).toHaveLength(2)
  const keeping = await startCache(() => undefined, { keepsMissing: true })
  await keeping.get('a')
  await keeping.get('a')
  expect(loads).toHaveLength(3)
})
