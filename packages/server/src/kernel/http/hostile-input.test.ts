import fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { bodyLimits, endpoint, FreeForm, MapOf, ProjectPath, reply } from './index.ts'
import type { Issue } from './problem.ts'
import { readJson } from './read-json.ts'
import { startTestServer } from './test-server.testkit.ts'

const echo = endpoint({
  id: 'echo',
  method: 'POST',
  path: '/projects/{projectIdOrName}/echo',
  access: 'develop',
  summary: 'x',
  tag: 'Test',
  params: ProjectPath,
  query: Type.Object({ text: Type.Optional(Type.String()) }),
  bodyBytesMax: bodyLimits.large,
  body: Type.Object({
    items: Type.Optional(Type.Array(Type.Object({ n: Type.Integer() }))),
    free: Type.Optional(FreeForm),
    map: Type.Optional(MapOf(Type.String())),
    any: Type.Optional(Type.Unknown()),
  }),
  reply: { 200: Type.Object({ free: Type.Optional(FreeForm), any: Type.Optional(Type.Unknown()) }) },
  run: async ({ body }) =>
    reply(200, { ...(body.free && { free: body.free }), ...('any' in body && { any: body.any }) }),
})
const path = '/v1/projects/shop/echo'
const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`

test.each([
  ['__proto__ at the top', '{"__proto__":{"polluted":true}}', '__proto__'],
  ['__proto__ written with an escape', '{"\\u005f_proto__":{"polluted":true}}', '__proto__'],
  ['__proto__ deep inside', '{"free":{"a":[{"__proto__":{"polluted":true}}]}}', 'free.a[0].__proto__'],
  ['constructor', '{"free":{"constructor":{"prototype":{"polluted":true}}}}', 'free.constructor'],
  ['prototype', '{"map":{"prototype":"x"}}', 'map.prototype'],
  ['NUL in a value', '{"free":{"a":"x\\u0000y"}}', 'free.a'],
  ['NUL in a key', '{"free":{"a\\u0000":1}}', 'free'],
  ['half a surrogate pair in a value', '{"any":["\\ud800"]}', 'any[0]'],
  ['half a surrogate pair in a key', '{"any":{"\\udc00":1}}', 'any'],
  ['a key twice', '{"any":1,"any":2}', 'any'],
  ['a key twice, deep inside', '{"any":[{"a":{"b":1}},{"b":"\\"","c":{},"b":2}]}', 'b'],
  ['a key twice, once with an escape', '{"any":{"ab":1,"\\u0061b":2}}', 'ab'],
])('%s is an issue that says where', async (_, body, name) => {
  const server = await startTestServer([echo])
  const answer = await server.call('POST', path, { body })
  expect(answer.status).toBe(400)
  expect(answer.body.issues.map((issue) => [issue.in, issue.name])).toEqual([['body', name]])
  expect({}).not.toHaveProperty('polluted')
})

test.each([
  '{"any":[{"a":1},{"a":1}],"free":{"a":{"a":{"a":"a"}}}}',
  '{"any":"a\\":{\\"any\\":1"}',
  '{"any":{"a":"\\\\","b":"\\\\\\"","c":":"}}',
  '{"any":["any","any"],"free":{"any":"any"}}',
  '{"any":{"toString":1,"hasOwnProperty":2,"valueOf":3,"then":4}}',
])('what only looks like it is taken: %s', async (body) => {
  const server = await startTestServer([echo])
  expect(await server.call('POST', path, { body })).toMatchObject({ status: 200, body: JSON.parse(body) })
})

test.each([
  ['lists', nested(10_000, '[', ']')],
  ['objects', nested(10_000, '{"a":', '}')],
  ['a few too many', nested(64, '[', ']')],
])('nesting is refused beyond 64 levels: %s', async (_, any) => {
  const server = await startTestServer([echo])
  const answer = await server.call('POST', path, { body: `{"any":${any}}` })
  expect(answer.status).toBe(400)
  expect(answer.body.issues.map((issue) => issue.detail)).toEqual(['The body is nested deeper than 64 levels.'])
  expect(answer.text.length).toBeLessThan(3_000)
  const fits = await server.call('POST', path, { body: `{"any":${nested(60, '[', ']')}}` })
  expect(fits.status).toBe(200)
})

test('NUL and half a surrogate pair are refused in path and query too', async () => {
  const server = await startTestServer([echo])
  const answer = await server.call('POST', `/v1/projects/a%00b/echo?text=%00`, { body: {} })
  expect(answer.body.issues.map((issue) => [issue.in, issue.name])).toEqual([
    ['path', 'projectIdOrName'],
    ['query', 'text'],
  ])
})

test.each(['__proto__=1', '__proto__[a]=1', 'constructor=1', 'text=%zz', 'text=%', 'text=%ff', '&&&=&=', 'text'])(
  'the query %s does no harm',
  async (query) => {
    const server = await startTestServer([echo])
    expect((await server.call('POST', `${path}?${query}`, { body: {} })).status).toBeLessThan(500)
    expect({}).not.toHaveProperty('a')
  },
)

const tenMegabytes = 10 * 1024 * 1024 - 100
const list = (item: string, count = Math.floor(tenMegabytes / (item.length + 1))) =>
  `[${new Array(count).fill(item).join(',')}]`
const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`
test.each([
  ['10 MB of wrong items', `{"items":${list('1')}}`, 400],
  ['10 MB of empty lists', `{"any":${list('[]')}}`, 400],
  ['10 MB of keys', `{"map":${keys(700_000)}}`, 400],
  ['10 MB of opening brackets', '['.repeat(tenMegabytes), 400],
  ['10 MB of opening braces', '{"a":'.repeat(tenMegabytes / 5), 400],
  ['10 MB of quotes', '"'.repeat(tenMegabytes), 400],
  ['10 MB of backslashes', `{"any":"${'\\\\'.repeat(tenMegabytes / 2 - 20)}"}`, 200],
  ['as many wrong items as are read', `{"items":${list('1', 199_000)}}`, 400],
  ['as many empty objects as are read', `{"items":${list('{}', 199_000)}}`, 400],
  ['as many empty lists as are read', `{"any":${list('[]', 199_000)}}`, 200],
  ['as many texts as are read', `{"any":${list('""', 199_000)}}`, 200],
  ['as many keys as are read', `{"map":${list(keys(9_000), 11)}}`, 400],
  ['a text with NUL at many long places', `{"any":{"${'k'.repeat(1_000_000)}":${list('"\\u0000"', 199_000)}}}`, 400],
])('%s take less than 2 seconds, and get a short answer', async (_, body, status) => {
  const server = await startTestServer([echo])
  const before = process.cpuUsage()
  const answer = await server.call('POST', path, { body })
  // The processor's time, of both sides: other work on the machine does not count.
  const { user } = process.cpuUsage(before)
  expect(answer.status).toBe(status)
  if (status === 400) expect(answer.text.length).toBeLessThan(120_000)
  expect(user / 1e6).toBeLessThan(2)
})

/** Not JSON after its last key: whoever parsed it would say so. */
const unfinished = (count: number) => keys(count).slice(0, -1)
test.each([
  ['one object', unfinished(10_001), 'An object of the body holds more than 10000 keys.'],
  ['480,000 keys', unfinished(480_000), 'An object of the body holds more than 10000 keys.'],
  ['many objects', `[${list(keys(9_000), 12)}`, 'The body holds more than 100000 keys.'],
  ['values', `[${'0,'.repeat(200_001)}`, 'The body holds more than 200000 values.'],
  ['levels', '['.repeat(65), 'The body is nested deeper than 64 levels.'],
])('too many keys, values or levels (%s) are refused before anything is parsed', (_, text, detail) => {
  const issues: Issue[] = []
  expect(readJson(Buffer.from(text), issues)).toBeUndefined()
  expect(issues.map((issue) => issue.detail)).toEqual([detail])
})

test('as many keys as an object may hold are read', () => {
  const issues: Issue[] = []
  expect(Object.keys(readJson(Buffer.from(keys(10_000)), issues) as object)).toHaveLength(10_000)
  expect(issues).toEqual([])
})

test('no JSON body whatever gives a 5xx', async () => {
  const server = await startTestServer([echo])
  const hostileKey = fc.constantFrom(
    'items',
    'free',
    'map',
    'any',
    '__proto__',
    'constructor',
    'toString',
    'length',
    'n',
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue(),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .array(fc.tuple(fc.oneof(hostileKey, fc.string({ unit: 'binary' })), tie('value')), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(value, async (body) => {
      const answer = await server.call('POST', path, { body: JSON.stringify(body) })
      expect([200, 400]).toContain(answer.status)
    }),
    { numRuns: 300 },
  )
})

test('no text whatever sent as JSON gives a 5xx', async () => {
  const server = await startTestServer([echo])
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
      const answer = await server.call('POST', path, { body: Buffer.from(bytes) })
      expect([200, 400]).toContain(answer.status)
    }),
    { numRuns: 100 },
  )
})

test('whatever was written without a key twice is read as it was meant', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const issues: never[] = []
      const text = JSON.stringify(value, null, space)
      expect(readJson(Buffer.from(text), issues)).toEqual(JSON.parse(text))
      expect(issues).toEqual([])
    }),
  )
})
