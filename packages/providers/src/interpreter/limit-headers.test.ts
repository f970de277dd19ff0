import { expect, it } from 'vitest'
import type { ProviderHttpRequest } from '../connector.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { entryOf, thingsProvider } from '../testing/provider.testkit.ts'
import { createConnector } from './create-connector.ts'
import { retryAfterMs, waitUntilMs } from './header-time.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

it.each([
  ['7', 'seconds', 7_000],
  ['1500', 'milliseconds', 1_500],
  [String(now / 1000 + 9), 'unix', 9_000],
  [String(now + 9), 'unixMs', 9],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 'date', 30_000],
  ['2026-01-01T00:01:00Z', 'date', 60_000],
  ['2025-01-01T00:01:00Z', 'date', 0],
  ['99999999', 'seconds', 86_400_000],
  ['soon', 'seconds', undefined],
  ['', 'date', undefined],
] as const)('%s as %s', (header, format, ms) => {
  expect(waitUntilMs(header, format, now)).toBe(ms)
})

it('Retry-After has seconds or a date', () => {
  expect(retryAfterMs('3', now)).toBe(3_000)
  expect(retryAfterMs('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30_000)
  expect(retryAfterMs(undefined, now)).toBeUndefined()
})

const limited = (limitHeaders: string) =>
  thingsProvider('read: { path: /things }', `errors: { limitHeaders: ${limitHeaders} }`)

it.each([
  ['{ remaining: X-Left, reset: X-Reset, format: date }', 20_000],
  ['{ remaining: X-Left, seconds: 60 }', 60_000],
])('%s: nothing is sent until the limit starts again', async (declared, waitMs) => {
  let left = 1
  let at = now
  await using server = await startServer(() => ({
    headers: { 'X-Left': String(left--), 'X-Reset': new Date(at + 20_000).toUTCString() },
    body: [],
  }))
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  const connector = createConnector(limited(declared), connection, plainHttp(fetch), { now: () => at })
  const read = () => connector.readPage({ object: 'things', fields: 'all' })
  await read()
  await read()
  await expect(read()).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: waitMs })
  expect(server.seen).toHaveLength(2)
  at += waitMs
  left = 5
  await read()
  await read()
  expect(server.seen).toHaveLength(4)
})

it('lists and searches by POST are reads, and writes are not', async () => {
  const sent: ProviderHttpRequest[] = []
  const object = `read: { method: POST, path: /search, records: things }
search: { body: { $each: filters, $item: '{{item.value}}' } }
write: { create: { path: /things } }`
  const connection = {
    metadata: { baseUrl: 'http://127.0.0.1:1' },
    credential: { scheme: 'apiKey', apiKey: 'k' },
  } as const
  const connector = createConnector(thingsProvider(object), connection, async (request) => {
    sent.push(request)
    return { status: 200, headers: {}, body: '{"things":[],"id":1}' }
  })
  await connector.readPage({ object: 'things', fields: 'all' })
  await connector.search({ object: 'things', fields: 'all', filters: [{ field: 'id', operator: 'eq', value: '1' }] })
  await connector.write({ object: 'things', type: 'create', record: { a: 1 } })
  expect(sent.map(({ method, isRead }) => [method, isRead])).toEqual([
    ['POST', true],
    ['POST', true],
    ['POST', undefined],
  ])
})

it('a file is refused whose limit never starts again, or has a pattern that is none', () => {
  expect(() => limited('{ remaining: X-Left }')).toThrow('needs one of "reset" and "seconds"')
  const rateLimit = 'rateLimit: { requests: 1, perSeconds: 1, per: app, path: "(" }'
  expect(() => entryOf(`name: test\nbaseUrl: https://api.example.com\n${rateLimit}`)).toThrow(
    'rateLimit.path is not a pattern',
  )
})
