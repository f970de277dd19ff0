import { expect, it } from 'vitest'
import type { ProviderHttp } from '../connector.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { entryOf, thingsProvider } from '../testing/provider.testkit.ts'
import { CostBudget } from './cost-budget.ts'
import { createConnector } from './create-connector.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const rules = 'rules: [{ when: { throttled: true }, is: rate_limited }]'
const restored = `errors: { costLimit: { remaining: cost.left, cost: cost.is, restoredPerSecond: cost.rate, maximum: cost.max }, ${rules} }`
const reset = `errors: { costLimit: { remaining: cost.left, cost: cost.is, reset: cost.reset }, ${rules} }`

/** Connectors of one connection, by a clock that only waits advance. */
async function opened(declared: string, answer: (count: number) => object, arrived = async (_count: number) => {}) {
  const budget = new CostBudget()
  const waits: number[] = []
  const clock = { at: now }
  const server = await startServer(() => ({ body: { things: [], ...answer(server.seen.length) } }))
  const http: ProviderHttp = async (request) => {
    const response = await plainHttp(fetch)(request)
    await arrived(server.seen.length)
    return response
  }
  const options = {
    now: () => clock.at,
    costBudget: budget,
    pause: async (ms: number) => {
      waits.push(ms)
      clock.at += ms
    },
  }
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  const provider = thingsProvider(
    'read: { path: /things, records: things }\nwrite: { create: { path: /things } }',
    declared,
  )
  const connect = (changed = {}) => createConnector(provider, connection, http, { ...options, ...changed })
  const connector = connect()
  const read = (signal?: AbortSignal) =>
    connector.readPage({ object: 'things', fields: 'all', ...(signal && { signal }) })
  return { read, connect, waits, clock, seen: server.seen, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const cost = (left: unknown, is: unknown = 50, rate: unknown = 10, max: unknown = 100) => ({
  cost: { left, is, rate, max },
})

it('a request waits until the units that it needed before are restored, in every connector of the connection', async () => {
  await using at = await opened(restored, () => cost(20))
  await at.read()
  expect(at.waits).toEqual([])
  await at.read()
  expect(at.waits).toEqual([3_000])
  at.clock.at += 1_000
  await at.connect().readPage({ object: 'things', fields: 'all' })
  expect(at.waits).toEqual([3_000, 2_000])
  expect(at.seen).toHaveLength(3)
})

it('requests that have no response yet count', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const second = async (count: number) => (count === 2 ? promise : undefined)
  await using at = await opened(restored, () => cost(60), second)
  await at.read()
  const slow = at.read()
  await expect.poll(() => at.seen.length).toBe(2)
  await at.read()
  expect(at.waits).toEqual([4_000])
  resolve()
  await slow
})

it('a write waits as a read does', async () => {
  await using at = await opened(restored, () => ({ id: 1, ...cost(0) }))
  await at.read()
  await at.connect().write({ object: 'things', type: 'create', record: { a: 1 } })
  expect(at.waits).toEqual([5_000])
})

it('a refused request has the time until the retry, also if its status is 200', async () => {
  let count = 0
  await using at = await opened(restored, () => (++count === 1 ? { throttled: true, ...cost(10, 90) } : cost(100, 90)))
  await expect(at.read()).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 8_000 })
  at.clock.at += 8_000
  await at.read()
  expect(at.waits).toEqual([])
})

it('each request of the file has its own cost, in every connector', async () => {
  await using at = await opened(restored, (count) => ({ id: 1, ...cost(20, count % 2 === 1 ? 50 : 10) }))
  await at.read()
  at.clock.at += 60_000
  const write = () => at.connect().write({ object: 'things', type: 'create', record: { a: 1 } })
  await write()
  await at.connect().readPage({ object: 'things', fields: 'all' })
  await write()
  expect(at.waits).toEqual([3_000])
})

it('a wait of more than ten seconds is a retry: nothing is sent', async () => {
  await using at = await opened(reset, () => ({ cost: { left: 20, is: 50, reset: 40 } }))
  await at.read()
  await expect(at.read()).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 40_000 })
  expect(at.seen).toHaveLength(1)
  at.clock.at += 40_000
  await at.read()
  expect([at.seen.length, at.waits]).toEqual([2, []])
})

it('a request that needs more than there ever is gets the answer of the provider', async () => {
  await using at = await opened(restored, () => cost(90, 5_000))
  await at.read()
  await at.read()
  expect(at.waits).toEqual([1_000])
})

it('a wait ends with its request', async () => {
  await using at = await opened(restored, () => cost(0))
  await at.read()
  const connector = at.connect({ pause: undefined })
  const stop = new AbortController()
  const read = connector.readPage({ object: 'things', fields: 'all', signal: stop.signal })
  stop.abort(new Error('stopped'))
  await expect(read).rejects.toThrow('stopped')
  expect(at.seen).toHaveLength(1)
})

it.each([
  ['no report', {}],
  ['null', { cost: null }],
  ['texts that are no numbers', cost('many', 'some', 'x', '')],
  ['negative numbers', cost(-5, -50, -10, -1)],
  ['numbers without end', { cost: { left: '1e999', is: 'Infinity', rate: 'NaN' } }],
  ['nothing left, and nothing that restores it', cost(0, 50, 0)],
  ['nothing left, without a rate', { cost: { left: 0, is: 50 } }],
])('%s: requests are sent', async (_, report) => {
  await using at = await opened(restored, () => report)
  await at.read()
  await at.read()
  expect([at.seen.length, at.waits]).toEqual([2, []])
})

it.each([
  ['{ remaining: a, cost: b }', 'needs one of "restoredPerSecond" and "reset"'],
  ['{ remaining: a, cost: b, restoredPerSecond: c, reset: d }', 'needs one of "restoredPerSecond" and "reset"'],
  ['{ remaining: a, cost: b, reset: d, maximum: e }', 'needs "restoredPerSecond"'],
  ['{ remaining: a, cost: b, restoredPerSecond: c, format: unix }', 'needs "reset"'],
  ['{ remaining: a, cost: b, reset: d }', 'needs a rule under `errors.rules`'],
])('a file is refused with %s', (costLimit, fault) => {
  const others = fault.includes('rule') ? '' : `, ${rules}`
  const yaml = `name: test\nbaseUrl: https://api.example.com\nerrors: { costLimit: ${costLimit}${others} }`
  expect(() => entryOf(yaml)).toThrow(fault)
})
