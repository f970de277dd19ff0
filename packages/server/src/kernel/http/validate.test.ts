import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { Empty, Enum, endpoint, FreeForm, MapOf, ProjectPath, Ref, reply, secret, Timestamp } from './index.ts'
import { type Answer, startTestServer } from './test-server.testkit.ts'

const Item = Type.Object({ x: Type.Integer(), label: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })) })
const Target = Type.Union([
  Type.String(),
  Type.Object({ kind: Type.Literal('url'), url: Type.String() }),
  Type.Object({ kind: Type.Literal('queue'), name: Type.String(), shards: Type.Integer() }),
])
const Body = Type.Object({
  items: Type.Optional(Type.Array(Item, { minItems: 1 })),
  color: Type.Optional(Enum(['red', 'green'])),
  when: Type.Optional(Timestamp),
  count: Type.Optional(Type.Integer()),
  flag: Type.Optional(Type.Boolean()),
  target: Type.Optional(Target),
  mode: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
  free: Type.Optional(FreeForm),
  numbers: Type.Optional(MapOf(Type.Number())),
  page: Type.Optional(Type.Integer({ default: 50 })),
  login: secret(Type.Optional(Type.Object({ password: Type.String({ maxLength: 5 }) }))),
})
const Query = Type.Object({
  destructive: Type.Optional(Type.Boolean()),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  ratio: Type.Optional(Type.Number()),
  text: Type.Optional(Type.String()),
  ids: Type.Optional(Type.Array(Type.Integer())),
})

const echo = endpoint({
  id: 'echo',
  method: 'POST',
  path: '/projects/{projectIdOrName}/echo/{number}',
  access: 'develop',
  summary: 'x',
  tag: 'Test',
  params: Type.Object({ ...ProjectPath.properties, number: Type.Integer() }),
  query: Query,
  body: Body,
  reply: { 200: Type.Object({ params: FreeForm, query: FreeForm, body: FreeForm }) },
  run: async ({ params, query, body }) => reply(200, { params, query: { ...query }, body }),
})
const optional = endpoint({
  id: 'optional',
  method: 'POST',
  path: '/optional',
  access: 'develop',
  summary: 'x',
  tag: 'Test',
  body: Item,
  bodyOptional: true,
  reply: { 200: Type.Object({ given: Type.Boolean() }) },
  run: async ({ body }) => reply(200, { given: body !== undefined }),
})
const open = endpoint({
  id: 'open',
  method: 'GET',
  path: '/open',
  access: 'public',
  summary: 'x',
  tag: 'Test',
  reply: { 204: Empty },
  run: async () => reply(204, null),
})

async function send(body: unknown, query = '', number = '1'): Promise<Answer> {
  const server = await startTestServer([echo, optional])
  return server.call('POST', `/v1/projects/shop/echo/${number}${query}`, { body })
}

const told = ({ body }: Answer) => body.issues.map(({ in: part, name, detail }) => `${part} ${name}: ${detail}`)

test.each([
  ['destructive=true', { destructive: true }],
  ['destructive=false', { destructive: false }],
  ['limit=500', { limit: 500 }],
  ['ratio=0.25', { ratio: 0.25 }],
  ['ratio=-3', { ratio: -3 }],
  ['text=true', { text: 'true' }],
  ['text=1', { text: '1' }],
  ['text=a%20b%26+c', { text: 'a b& c' }],
  ['ids=3', { ids: [3] }],
  ['ids=3&ids=4', { ids: [3, 4] }],
  ['text=', { text: '' }],
])('the query %s is read as %j', async (query, expected) => {
  expect(await send({}, `?${query}`)).toMatchObject({ status: 200, body: { query: expected } })
})

test.each(['destructive=TRUE', 'destructive=1', 'destructive=', 'destructive=%20true', 'destructive=yes'])(
  'the query %s is refused: only true and false are',
  async (query) => {
    expect(told(await send({}, `?${query}`))).toEqual(['query destructive: destructive must be a boolean.'])
  },
)

test.each([
  'limit=1e3',
  'limit=%201',
  'limit=1.0',
  'limit=0x10',
  'limit=',
  'limit=%2B1',
  'limit=01',
  'limit=1&limit=2',
  'limit=١',
])('the query %s is refused: only plain integers are', async (query) => {
  expect(told(await send({}, `?${query}`))).toEqual(['query limit: limit must be an integer.'])
})

test('a path parameter is read as strictly', async () => {
  expect(await send({}, '', '42')).toMatchObject({ status: 200, body: { params: { number: 42 } } })
  for (const number of ['1e3', '%201', '4.2', 'x'])
    expect(told(await send({}, '', number))).toEqual(['path number: number must be an integer.'])
})

test.each([
  [{ count: '1' }, 'body count: count must be an integer.'],
  [{ count: 1.5 }, 'body count: count must be an integer.'],
  [{ flag: 'true' }, 'body flag: flag must be a boolean.'],
  [{ flag: 0 }, 'body flag: flag must be a boolean.'],
  [{ items: { x: 1 } }, 'body items: items must be an array.'],
  [{ count: null }, 'body count: count must be an integer.'],
])('a body is never coerced: %j', async (body, issue) => {
  expect(told(await send(body))).toEqual([issue])
})

test('unknown properties of a body are never an error', async () => {
  const answer = await send({ count: 1, more: { of: 'it' } }, '?limit=2')
  expect(answer).toMatchObject({ status: 200, body: { body: { count: 1 }, query: { limit: 2 } } })
})

test('an unknown query parameter is refused, with those that there are, and its value is not echoed', async () => {
  const answer = await send({ count: 'x' }, '?limit=2&limt=5&other=secret-7&other=x&Text=y')
  expect(answer.status).toBe(400)
  expect(told(answer)).toEqual([
    'query limt: limt is not a parameter of this request.',
    'query other: other is not a parameter of this request.',
    'query Text: Text is not a parameter of this request.',
    'body count: count must be an integer.',
  ])
  expect(answer.body.issues.map(({ remedy }) => remedy)).toEqual([
    ...Array(3).fill('Use one of: destructive, limit, ratio, text, ids.'),
    undefined,
  ])
  expect(JSON.stringify(answer.body)).not.toContain('secret-7')
})

test('an endpoint without parameters refuses all, and a public one ignores them', async () => {
  const server = await startTestServer([echo, optional, open])
  const refused = await server.call('POST', '/v1/optional?x=1')
  expect([refused.status, refused.body.issues[0]?.remedy]).toEqual([
    400,
    'Leave it out: this request has no parameters.',
  ])
  expect((await server.call('GET', '/v1/open?utm_source=mail')).status).toBe(204)
})

test('many unknown parameters are refused at once', async () => {
  const query = Array.from({ length: 1_500 }, (_, at) => `p${at}`).join('&')
  const answer = await send({}, `?${query}`)
  expect([answer.status, answer.body.issues.length]).toEqual([400, 100])
})

test('defaults are filled in', async () => {
  expect(await send({})).toMatchObject({ body: { body: { page: 50 } } })
})

test('the issues of path, query and body come in one answer', async () => {
  const answer = await send({ items: [{ x: 1 }, { x: 'y' }, {}], color: 'blue' }, '?destructive=maybe&limit=0', 'one')
  expect(answer.status).toBe(400)
  expect(answer.body.context['code']).toBe('invalid-input')
  expect(told(answer)).toEqual([
    'path number: number must be an integer.',
    'query destructive: destructive must be a boolean.',
    'query limit: limit must be 1 or more.',
    'body items[1].x: items[1].x must be an integer.',
    'body items[2].x: items[2].x is required.',
    'body color: color must be one of red, green.',
  ])
  expect(answer.body.issues.map((issue) => issue.value)).toEqual(['one', 'maybe', 0, 'y', undefined, 'blue'])
})

test('a wrong word is one issue, of whatever type it is', async () => {
  expect(told(await send({ color: 'blue' }))).toEqual(['body color: color must be one of red, green.'])
  expect(told(await send({ color: 7 }))).toEqual(['body color: color must be a string.'])
  expect(told(await send({ mode: 'c' }))).toEqual(['body mode: mode must be one of a, b.'])
})

test('a union tells one thing: the types that it takes, or what is wrong with the nearest branch', async () => {
  expect(told(await send({ target: 7 }))).toEqual(['body target: target must be a string or an object.'])
  expect(told(await send({ target: { kind: 'url' } }))).toEqual(['body target.url: target.url is required.'])
  expect((await send({ target: { kind: 'queue', name: 'n', shards: 2 } })).status).toBe(200)
})

test('limits and formats are told in words', async () => {
  expect(told(await send({ when: 'yesterday' }, '?limit=0'))).toEqual([
    'query limit: limit must be 1 or more.',
    'body when: when must be a time like 2026-01-31T12:00:00Z.',
  ])
})

test('lengths are told in words', async () => {
  expect(told(await send({ items: [] }))).toEqual(['body items: items must have at least 1 item.'])
  expect(told(await send({ items: [{ x: 1, label: '' }] }))).toEqual([
    'body items[0].label: items[0].label must have at least 1 character.',
  ])
  expect(told(await send({ items: [{ x: 1, label: '123456' }] }))).toEqual([
    'body items[0].label: items[0].label must have at most 5 characters.',
  ])
})

test('a value in a map is named by its key', async () => {
  expect(told(await send({ numbers: { 'a/b~c': 'x' } }))).toEqual([
    'body numbers.a/b~c: numbers.a/b~c must be a number.',
  ])
})

test('a body of another type than an object is one issue', async () => {
  for (const body of ['"text"', '7', 'null', '[]'])
    expect(told(await send(body))).toEqual(['body body: The body must be an object.'])
})

test('at most 100 issues are listed, and their number is told', async () => {
  const answer = await send({ items: Array.from({ length: 250 }, () => ({ x: 'no' })) })
  expect(answer.body.issues).toHaveLength(100)
  expect(answer.body.context['issuesTotal']).toBe(250)
})

test('exactly 100 issues are all there are', async () => {
  const answer = await send({ items: Array.from({ length: 100 }, () => ({ x: 'no' })) })
  expect(answer.body.issues).toHaveLength(100)
  expect(answer.body.context).not.toHaveProperty('issuesTotal')
})

test('the value of an issue is cut, and a structure is never echoed', async () => {
  const answer = await send({ count: 'x'.repeat(10_000), flag: { secret: 1 }, color: ['a', 'b'] })
  expect(Object.fromEntries(answer.body.issues.map(({ name, value }) => [name, value]))).toEqual({
    count: `${'x'.repeat(200)}…`,
    flag: '[object]',
    color: '[array of 2]',
  })
})

test('a long key does not make a long answer', async () => {
  const answer = await send({ numbers: { ['k'.repeat(1_000_000)]: 'x' } })
  expect(answer.status).toBe(400)
  expect(answer.text.length).toBeLessThan(5_000)
})

test('an empty body is an issue where one is required, and nothing where it may be left out', async () => {
  const server = await startTestServer([echo, optional])
  const json = { 'content-type': 'application/json' }
  for (const headers of [json, {}]) {
    const missing = await server.call('POST', '/v1/projects/shop/echo/x', { headers })
    expect(told(missing)).toEqual(['path number: number must be an integer.', 'body body: A body is required.'])
    expect(await server.call('POST', '/v1/optional', { headers })).toMatchObject({
      status: 200,
      body: { given: false },
    })
  }
  expect(await server.call('POST', '/v1/optional', { body: { x: 1 } })).toMatchObject({ body: { given: true } })
  expect((await server.call('POST', '/v1/optional', { body: {} })).status).toBe(400)
})

test('a parameter may not be empty', async () => {
  const named = endpoint({
    id: 'named',
    method: 'GET',
    path: '/things/{id}',
    access: 'develop',
    summary: 'x',
    tag: 'Test',
    params: Type.Object({ id: Ref }),
    reply: { 204: Type.Null() },
    run: async () => reply(204, null),
  })
  const server = await startTestServer([named])
  expect((await server.call('GET', '/v1/things/')).status).toBe(400)
  expect((await server.call('GET', `/v1/things/${'x'.repeat(513)}`)).status).toBe(400)
  expect((await server.call('GET', '/v1/things/x')).status).toBe(204)
})

test.each([
  ['of the wrong type', 'me:hunter2', 'login'],
  ['too long', { password: 'hunter2' }, 'login.password'],
])('a credential that is %s is named and not shown', async (_, login, name) => {
  const { status, body } = await send({ login })
  expect(status).toBe(400)
  expect(body['issues']).toEqual([expect.objectContaining({ in: 'body', name })])
  expect(JSON.stringify(body)).not.toContain('hunter2')
})
