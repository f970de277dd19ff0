import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, endSession, type TestDatabase } from '../../testkit/test-database.ts'
import { type Database, newId } from '../db/index.ts'
import { createLogger, createMetrics } from '../telemetry/index.ts'
import { PubSub, publish, publishRows, rowsTopic, type Topic, topic } from './index.ts'
import { bufferedMax } from './subscription.ts'

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.database
})
afterAll(() => testDatabase.drop())

/** One node; `backends` are the sessions of its connections, the newest last. */
function startNode(connect: NonNullable<Database['connect']> = database.connect!) {
  const lines: string[] = []
  const backends: number[] = []
  const metrics = createMetrics()
  const pubsub = new PubSub({
    database: {
      connect: async () => {
        const client = await connect()
        backends.push((await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0)
        return client
      },
    },
    newId,
    log: createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } }),
    metrics,
  })
  onTestFinished(() => pubsub.close())
  return { pubsub, lines, backends, metrics }
}

/** A subscriber that writes down what it is called with. */
function recorder() {
  const calls: string[] = []
  return {
    calls,
    receive: (payload: string) => void calls.push(payload),
    missed: () => void calls.push('(missed)'),
    disconnected: () => void calls.push('(disconnected)'),
  }
}

let topics = 0
const someTopic = (): Topic<string> => topic(`test_${++topics}`)
const send = (to: Topic<string>, ...payloads: string[]) => publish(to, payloads).execute(database.system)
const cut = (backends: number[]) => endSession(testDatabase, backends.at(-1) ?? 0)

describe('what commits while a node is connected', () => {
  test('reaches the subscribers of its topic on every node, in the order of commits', async () => {
    const [here, there, other] = [recorder(), recorder(), recorder()]
    const [one, two] = [startNode(), startNode()]
    const [mine, another] = [someTopic(), someTopic()]
    await one.pubsub.subscribe(mine, here).ready
    await two.pubsub.subscribe(mine, there).ready
    await two.pubsub.subscribe(another, other).ready
    for (let n = 0; n < 200; n++) await send(mine, String(n))
    await send(another, 'last')
    const expected = ['(missed)', ...Array.from({ length: 200 }, (_, n) => String(n))]
    await vi.waitFor(() => expect(other.calls).toEqual(['(missed)', 'last']), 20_000)
    expect(there.calls).toEqual(expected)
    await vi.waitFor(() => expect(here.calls).toEqual(expected), 20_000)
  })

  test('is received once its transaction has committed, and never when it is rolled back', async () => {
    const { pubsub } = startNode()
    const [mine, subscriber] = [someTopic(), recorder()]
    await pubsub.subscribe(mine, subscriber).ready
    await expect(
      database.system.transaction().execute(async (tx) => {
        await publish(mine, ['rolled back']).execute(tx)
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await database.system.transaction().execute(async (tx) => {
      await publish(mine, ['committed']).execute(tx)
      await send(mine, 'before')
    })
    await vi.waitFor(() => expect(subscriber.calls).toEqual(['(missed)', 'before', 'committed']), 20_000)
  })

  test('is received by a subscription that joins a topic in use, from its beginning on', async () => {
    const { pubsub, backends } = startNode()
    const [mine, first, second] = [someTopic(), recorder(), recorder()]
    await pubsub.subscribe(mine, first).ready
    const joined = pubsub.subscribe(mine, second)
    expect([joined.isConnected, second.calls]).toEqual([true, ['(missed)']])
    await send(mine, 'one')
    await vi.waitFor(() => expect(second.calls).toEqual(['(missed)', 'one']), 20_000)
    expect([pubsub.subscriptions(mine), backends.length]).toEqual([2, 1])
  })

  test('is delivered on this node at once where that is asked for', async () => {
    const { pubsub } = startNode()
    const [mine, subscriber] = [someTopic(), recorder()]
    await pubsub.subscribe(mine, subscriber).ready
    pubsub.notifyLocal(mine, 'here')
    expect(subscriber.calls).toEqual(['(missed)', 'here'])
  })

  test('is not received by a subscription that has ended', async () => {
    const { pubsub } = startNode()
    const [mine, ended, other] = [someTopic(), recorder(), recorder()]
    const subscription = pubsub.subscribe(mine, ended)
    await pubsub.subscribe(mine, other).ready
    subscription.end()
    await send(mine, 'one')
    await vi.waitFor(() => expect(other.calls).toContain('one'), 20_000)
    expect(ended.calls).toEqual(['(missed)'])
  })
})

describe('a lost connection', () => {
  test('is opened again, and every subscriber is called to look for what it may have missed', async () => {
    const { pubsub, backends, metrics } = startNode()
    const [mine, another, a, b] = [someTopic(), someTopic(), recorder(), recorder()]
    const subscription = pubsub.subscribe(mine, a)
    await subscription.ready
    await pubsub.subscribe(another, b).ready
    await cut(backends)
    await vi.waitFor(() => expect(a.calls).toEqual(['(missed)', '(disconnected)']), 20_000)
    expect(subscription.isConnected).toBe(false)
    expect((await metrics.notificationsConnected.get()).values[0]?.value).toBe(0)
    await vi.waitFor(() => expect(a.calls).toEqual(['(missed)', '(disconnected)', '(missed)']), 20_000)
    await vi.waitFor(() => expect(b.calls).toEqual(['(missed)', '(disconnected)', '(missed)']), 20_000)
    await send(mine, 'again')
    await vi.waitFor(() => expect(a.calls.at(-1)).toBe('again'), 20_000)
    expect((await metrics.notificationsConnected.get()).values[0]?.value).toBe(1)
  })

  test('at the start keeps nobody from subscribing: it connects when the database is back', async () => {
    let isAway = true
    const { pubsub, lines } = startNode(() =>
      isAway ? Promise.reject(new Error('the database is away')) : database.connect!(),
    )
    const [mine, subscriber] = [someTopic(), recorder()]
    const subscription = pubsub.subscribe(mine, subscriber)
    await subscription.ready
    expect([subscription.isConnected, subscriber.calls]).toEqual([false, []])
    expect(lines.join('')).toContain('the database is away')
    isAway = false
    await vi.waitFor(() => expect(subscription.isConnected).toBe(true), 20_000)
    await send(mine, 'one')
    await vi.waitFor(() => expect(subscriber.calls).toEqual(['(missed)', 'one']), 20_000)
  })
})

describe('a subscriber', () => {
  test('that throws stops neither the others nor what follows', async () => {
    const { pubsub, lines } = startNode()
    const [mine, other] = [someTopic(), recorder()]
    const seen: string[] = []
    pubsub.subscribe(mine, {
      receive: (payload) => {
        seen.push(payload)
        if (payload === 'sync') throw new Error('thrown')
        return payload === 'async' ? Promise.reject(new Error('rejected')) : undefined
      },
      missed: () => undefined,
    })
    await pubsub.subscribe(mine, other).ready
    await send(mine, 'sync', 'async', 'fine')
    await vi.waitFor(() => expect(seen).toEqual(['sync', 'async', 'fine']), 20_000)
    expect(other.calls).toEqual(['(missed)', 'sync', 'async', 'fine'])
    expect(lines.filter((line) => line.includes('failed to process a notification'))).toHaveLength(2)
  })

  test('that is slow delays nobody, and is called to look when it falls too far behind', async () => {
    const { pubsub } = startNode()
    const [mine, other] = [someTopic(), recorder()]
    const blocked = Promise.withResolvers<void>()
    const seen: string[] = []
    await pubsub.subscribe(mine, {
      receive: (payload) => {
        seen.push(payload)
        return seen.length === 1 ? blocked.promise : undefined
      },
      missed: () => void seen.push('(missed)'),
    }).ready
    seen.length = 0
    await pubsub.subscribe(mine, other).ready
    const payloads = Array.from({ length: bufferedMax + 2 }, (_, n) => String(n))
    for (const payload of payloads) pubsub.notifyLocal(mine, payload)
    expect(other.calls).toEqual(['(missed)', ...payloads])
    expect(seen).toEqual(['0'])
    blocked.resolve()
    await vi.waitFor(() => expect(seen).toEqual(['0', '(missed)']), 20_000)
    pubsub.notifyLocal(mine, 'next')
    expect(seen).toEqual(['0', '(missed)', 'next'])
  })

  test('that cannot read a payload is called to look', async () => {
    const { pubsub } = startNode()
    const [raw, subscriber] = [someTopic(), recorder()]
    const typed = topic<string>(raw.name, { format: (text) => text, parse: () => undefined })
    await pubsub.subscribe(typed, subscriber).ready
    await send(raw, 'of a newer version')
    await vi.waitFor(() => expect(subscriber.calls).toEqual(['(missed)', '(missed)']), 20_000)
  })
})

describe('a payload', () => {
  test('that PostgreSQL would not accept is refused before the transaction fails', () => {
    expect(() => publish(someTopic(), ['x'.repeat(7_999)])).not.toThrow()
    expect(() => publish(someTopic(), ['ä'.repeat(4_000)])).toThrow(/shorter than 8000 bytes/)
  })

  test('of 7,999 bytes arrives', async () => {
    const { pubsub } = startNode()
    const [mine, subscriber] = [someTopic(), recorder()]
    await pubsub.subscribe(mine, subscriber).ready
    await send(mine, 'x'.repeat(7_999))
    await vi.waitFor(() => expect(subscriber.calls[1]?.length).toBe(7_999), 20_000)
  })

  test('a topic whose channel PostgreSQL would cut cannot be declared', () => {
    expect(() => topic('x'.repeat(60))).toThrow(/cannot name a channel/)
  })
})

describe('a topic on demand', () => {
  const rows = () => rowsTopic('test', newId())

  test('is published once some node subscribes, in as many payloads as it takes', async () => {
    const { pubsub } = startNode()
    const [mine, received, ids] = [rows(), [] as number[], Array.from({ length: 450 }, () => newId())]
    expect((await publishRows(mine, 'created', ids).execute(database.system)).rows).toEqual([])
    await pubsub.subscribe(mine, {
      receive: ({ ids }) => void received.push(ids?.length ?? -1),
      missed: () => undefined,
    }).ready
    await publishRows(mine, 'created', ids).execute(database.system)
    await publishRows(mine, 'changed', [...ids, ...ids, ...ids]).execute(database.system)
    await vi.waitFor(() => expect(received).toEqual([200, 200, 50, -1]), 20_000)
  })

  test('is published again after its connection was lost', async () => {
    const { pubsub, backends } = startNode()
    const [mine, received] = [rows(), [] as string[]]
    await pubsub.subscribe(mine, {
      receive: ({ what }) => void received.push(what),
      missed: () => void received.push('missed'),
    }).ready
    await sql`delete from watches`.execute(database.system)
    await cut(backends)
    await vi.waitFor(() => expect(received).toEqual(['missed', 'missed']), 20_000)
    await publishRows(mine, 'changed', [newId()]).execute(database.system)
    await vi.waitFor(() => expect(received).toEqual(['missed', 'missed', 'changed']), 20_000)
  })
})
