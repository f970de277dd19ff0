import { describe, expect, it } from 'vitest'
import { createConnector, type WriteRequest } from '../../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'

/** What a provider file can say of writing one record, against a real server. */

const key = 'key-of-the-test'
const read = 'read: { path: /things }\n'
const ok = (): Answer => ({ status: 204 })

async function connect(object: string, answer: (request: SeenRequest) => Answer = ok, rest = '') {
  const server = await startServer(answer)
  const entry = thingsProvider(`${read}${object}`, rest)
  const connection = {
    metadata: { baseUrl: server.origin },
    credential: { scheme: 'apiKey', apiKey: key } as const,
  }
  return { server, entry, connector: createConnector(entry, connection, plainHttp(fetch)) }
}

const create = (record: Record<string, unknown>, rest: Partial<WriteRequest> = {}): WriteRequest => ({
  object: 'things',
  type: 'create',
  record,
  ...rest,
})

const bodyOf = (request: SeenRequest | undefined) => JSON.parse(request?.body ?? '') as unknown

describe('requests', () => {
  it('go by method and path of the operation, the record being the body', async () => {
    const { server, connector } = await connect(`write:
  create: { path: /things }
  update: { path: '/things/{{id}}' }
  delete: { path: '/things/{{id}}' }`)
    await using _ = server
    await connector.write(create({ name: 'A', tags: [1], none: null }))
    await connector.write(create({ name: 'B' }, { type: 'update', id: '7' }))
    await connector.write(create({}, { type: 'delete', id: '7' }))
    expect(server.seen.map(({ method, url, body }) => [method, url.pathname, body])).toEqual([
      ['POST', '/api/things', '{"name":"A","tags":[1],"none":null}'],
      ['PATCH', '/api/things/7', '{"name":"B"}'],
      ['DELETE', '/api/things/7', ''],
    ])
    expect(server.seen[0]?.headers['content-type']).toBe('application/json')
  })

  it('wrap the record in what the file declares for both kinds, under a name of the object', async () => {
    const { server, connector } = await connect(`set: { one: thing }
write:
  headers: { X-Version: '2' }
  body: { '{{one}}': { $spread: record, source: us, id: '{{id}}' }, links: { $value: associations } }
  create: { path: /things }
  update: { method: PUT, path: '/things/{{id}}' }`)
    await using _ = server
    await connector.write(create({ source: 'them', a: 1 }, { associations: [{ to: 1 }] }))
    await connector.write(create({ a: 2, id: 'forged' }, { type: 'update', id: '7' }))
    expect(server.seen.map(bodyOf)).toEqual([
      { thing: { source: 'us', a: 1 }, links: [{ to: 1 }] },
      { thing: { a: 2, source: 'us', id: '7' } },
    ])
    expect(server.seen[1]?.headers['x-version']).toBe('2')
    expect(connector.takesAssociations('things')).toBe(true)
  })

  it('ask first for what a change must name, unless the caller named it; what cannot be had stops the write', async () => {
    let status = 200
    const { server, connector } = await connect(
      `set: { one: thing }
write:
  update:
    method: POST
    path: /things
    body: { $spread: record, id: '{{id}}', version: '{{version}}' }
    lookups: [{ name: version, path: '/things/{{id}}', value: '{{one}}.version', unless: record.version }]`,
      ({ method }) => ({ status: method === 'GET' ? status : 200, body: { thing: { version: '3' } } }),
    )
    await using _ = server
    const update = (record: Record<string, unknown>) =>
      connector.write({ object: 'things', type: 'update', id: '7', record })
    await update({ name: 'A' })
    await update({ name: 'A', version: '1' })
    expect(server.seen.map(({ method, body }) => [method, body])).toEqual([
      ['GET', ''],
      ['POST', '{"name":"A","id":"7","version":"3"}'],
      ['POST', '{"name":"A","version":"1","id":"7"}'],
    ])
    status = 429
    await expect(update({ name: 'A' })).rejects.toMatchObject({ class: 'rate_limited' })
    expect(server.seen).toHaveLength(4)
  })

  it('take values out of the record that stand in path or query', async () => {
    const { server, connector } = await connect(`write:
  create:
    path: '/lists/{{record.list}}/things'
    query: { notify: '{{record.notify}}' }
    body: { data: { attributes: { $value: record }, relationships: { $value: record.relationships } } }`)
    await using _ = server
    await connector.write(create({ list: 'a/b?c', notify: true, name: 'A', relationships: { owner: 1 } }))
    expect(server.seen[0]?.url.href).toBe('http://server/api/lists/a%2Fb%3Fc/things?notify=true')
    expect(bodyOf(server.seen[0])).toEqual({ data: { attributes: { name: 'A' }, relationships: { owner: 1 } } })
  })

  it('know the parts of an id of several values; what the answer lacks of it was sent', async () => {
    const server = await startServer(({ method }) => ({ body: method === 'DELETE' ? '' : { number: 7, title: 'A' } }))
    await using _ = server
    const entry = thingsProvider(`read: { path: /things, id: [owner, number] }
write:
  create: { path: '/owners/{{record.owner}}/things' }
  update: { path: '/owners/{{id.owner}}/things/{{id.number}}' }
  delete: { path: '/owners/{{id.owner}}/things/{{id.number}}' }`)
    const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'none' } } as const
    const connector = createConnector(entry, connection, plainHttp(fetch))
    expect(await connector.write(create({ owner: 'a b', title: 'A' }))).toMatchObject({ recordId: 'a%20b/7' })
    const record = { title: 'B' }
    const changed = await connector.write({ object: 'things', type: 'update', id: 'a%20b/7', record })
    expect(changed.recordId).toBe('a%20b/7')
    await connector.write({ object: 'things', type: 'delete', id: 'a%20b/7', record: {} })
    expect(server.seen.map(({ method, url, body }) => [method, url.pathname, body])).toEqual([
      ['POST', '/api/owners/a%20b/things', '{"title":"A"}'],
      ['PATCH', '/api/owners/a%20b/things/7', '{"title":"B"}'],
      ['DELETE', '/api/owners/a%20b/things/7', ''],
    ])
    const short = connector.write({ object: 'things', type: 'update', id: '7', record })
    await expect(short).rejects.toMatchObject({
      class: 'bad_request',
      message: 'The id must be written as owner/number.',
    })
  })

  it('nest fields again that reading lifts out, and gather those that belong elsewhere', async () => {
    const server = await startServer(ok)
    await using _ = server
    const entry = thingsProvider(`read: { path: /things, flatten: [properties] }
write:
  body: { properties: { $value: record } }
  gather:
    - { match: 'cf_(?<result>\\d+)', into: custom.fields, item: { id: '{{key}}', value: { $value: value } } }
    - { match: 'x_(?<result>.+)', except: [x_own], into: extra }
  create: { path: /things }`)
    const connector = createConnector(
      entry,
      { metadata: { baseUrl: server.origin }, credential: { scheme: 'none' } },
      plainHttp(fetch),
    )
    const address = { city: 'Rome' }
    const record = {
      email: 'a@b.example',
      "$['properties']['phone']": '1',
      address,
      "$['address']['zip']": '2',
      cf_1: 'one',
      cf_2: [2],
      x_color: 'red',
      x_own: 'kept',
      cf_none: 3,
    }
    await connector.write(create(record))
    expect(bodyOf(server.seen[0])).toEqual({
      properties: {
        email: 'a@b.example',
        phone: '1',
        x_own: 'kept',
        address: { city: 'Rome', zip: '2' },
        custom: {
          fields: [
            { id: '1', value: 'one' },
            { id: '2', value: [2] },
          ],
        },
        extra: { color: 'red' },
        cf_none: 3,
      },
    })
    expect(address).toEqual({ city: 'Rome' })
  })

  it('write forms as the bracket notation has them', async () => {
    const { server, connector } = await connect(`write:
  encoding: form
  create: { path: /things }`)
    await using _ = server
    await connector.write(create({ name: 'Ä & b', address: { line: 1 }, items: [{ price: 'p' }, 'x'], gone: null }))
    expect(server.seen[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(decodeURIComponent(server.seen[0]?.body ?? '')).toBe(
      'name=Ä & b&address[line]=1&items[0][price]=p&items[1]=x&gone=',
    )
  })

  it('carry the idempotency key where the file puts it, and leave it out where there is none', async () => {
    const { server, connector } = await connect(`write:
  headers: { Idempotency-Key: '{{idempotencyKey}}' }
  create: { path: /things }`)
    await using _ = server
    await connector.write(create({}, { idempotencyKey: 'k-1' }))
    await connector.write(create({}))
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', undefined])
  })

  it('pass on headers of the caller where the file says so, none in the place of ours', async () => {
    const { server, connector } = await connect(
      `write: { callerHeaders: true, create: { path: /things, headers: { X-Mode: fixed } } }`,
      ok,
      'headers: { X-Version: "1" }',
    )
    await using _ = server
    const headers = { 'X-Trace': 't', 'x-mode': 'theirs', 'X-VERSION': 'theirs', 'X-Api-Key': 'theirs' }
    await connector.write(create({}, { headers }))
    expect(server.seen[0]?.headers).toMatchObject({
      'x-trace': 't',
      'x-mode': 'fixed',
      'x-version': '1',
      'x-api-key': key,
    })
    for (const name of ['Authorization', 'host', 'Content-Length', 'x y', 'x\r\nevil']) {
      await expect(connector.write(create({}, { headers: { [name]: 'v' } })), name).rejects.toMatchObject({
        class: 'bad_request',
      })
    }
    await expect(connector.write(create({}, { headers: { a: 'b\r\nc: d' } }))).rejects.toMatchObject({
      class: 'bad_request',
    })
    expect(server.seen).toHaveLength(1)
  })
})

describe('hostile input', () => {
  it('names that mean something to JavaScript are names only', async () => {
    const { server, connector } = await connect(`write: { create: { path: /things } }`)
    await using _ = server
    const record = JSON.parse(`{"__proto__": {"admin": true}, "constructor": 1, "$['__proto__']['x']": 2}`) as Record<
      string,
      unknown
    >
    await connector.write(create(record))
    expect(server.seen[0]?.body).toBe('{"__proto__":{"admin":true,"x":2},"constructor":1}')
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  it.each(['..', '.', ''])('an id that would leave its path is refused: "%s"', async (id) => {
    const { server, connector } = await connect(`write: { delete: { path: '/things/{{id}}' } }`)
    await using _ = server
    await expect(connector.write(create({}, { type: 'delete', id }))).rejects.toMatchObject({ class: 'bad_request' })
    expect(server.seen).toEqual([])
  })

  it('an id with slashes stays one segment', async () => {
    const { server, connector } = await connect(`write: { delete: { path: '/things/{{id}}' } }`)
    await using _ = server
    await connector.write(create({}, { type: 'delete', id: '../users/1?x#y' }))
    expect(server.seen[0]?.url.href).toBe('http://server/api/things/..%2Fusers%2F1%3Fx%23y')
  })

  it('a form nested without end is refused before anything is sent', async () => {
    const { server, connector } = await connect(`write: { encoding: form, create: { path: /things } }`)
    await using _ = server
    let deep: Record<string, unknown> = {}
    for (let level = 0; level < 50; level++) deep = { deep, leaf: 1 }
    await expect(connector.write(create(deep))).rejects.toMatchObject({ class: 'bad_request' })
    expect(server.seen).toEqual([])
  })

  it('what the object does not declare is refused', async () => {
    const { server, connector } = await connect(`write: { create: { path: /things } }`)
    await using _ = server
    expect(connector.canWrite('things', 'create')).toBe(true)
    expect(connector.canWrite('things', 'delete')).toBe(false)
    expect(connector.canWrite('others', 'create')).toBe(false)
    expect(connector.batchSizeMax('things', 'create')).toBeUndefined()
    for (const request of [
      create({}, { type: 'delete', id: '1' }),
      create({}, { object: 'others' }),
      create({}, { object: '__proto__' }),
    ]) {
      await expect(connector.write(request)).rejects.toMatchObject({ class: 'unsupported_object' })
    }
    expect(server.seen).toEqual([])
  })
})

describe('answers', () => {
  const put = `update: { path: '/things/{{id}}' }`
  it.each<[string, string, Answer, object]>([
    [
      'the whole answer, a number as text',
      '',
      { body: { id: 9, name: 'A' } },
      { recordId: '9', data: { id: 9, name: 'A' } },
    ],
    [
      'a part named after the object',
      `answer: { data: '{{one}}' }`,
      { body: { thing: { id: 'x' } } },
      { recordId: 'x', data: { id: 'x' } },
    ],
    [
      'an id beside the record',
      'answer: { id: result.key, data: result.values }',
      { body: { result: { key: 1, values: { a: 1 } } } },
      { recordId: '1', data: { a: 1 } },
    ],
    [
      'the first of a list',
      'answer: { data: list.0 }',
      { body: { list: [{ id: 5 }] } },
      { recordId: '5', data: { id: 5 } },
    ],
    ['an empty answer', '', { status: 201 }, {}],
    ['a list', '', { body: [1] }, { rawResponse: '[1]' }],
    [
      'a Location header',
      'answer: { idHeader: { name: Location } }',
      { status: 201, headers: { location: 'https://x.example/things/a%20b/?v=1' } },
      { recordId: 'a b' },
    ],
    [
      'an id in brackets',
      `answer: { idHeader: { name: OData-EntityId, capture: '\\((?<result>[^()]+)\\)$' } }`,
      { status: 204, headers: { 'odata-entityid': 'https://x.example/things(00-11)' } },
      { recordId: '00-11' },
    ],
  ])('%s', async (_name, answer, response, expected) => {
    const { server, connector } = await connect(
      `set: { one: thing }\nwrite:\n  create: { path: /things }\n  ${put}\n  ${answer}`,
      () => response,
    )
    await using _ = server
    expect(await connector.write(create({ a: 1 }))).toEqual({ success: true, ...expected })
  })

  it('an update knows the id without the answer', async () => {
    const { server, connector } = await connect(`write: { ${put} }`)
    await using _ = server
    const result = await connector.write(create({ a: 1 }, { type: 'update', id: '7' }))
    expect(result).toEqual({ success: true, recordId: '7' })
  })

  it.each<[string, string, unknown, string[]]>([
    [
      'errors of GraphQL users',
      `answer: { refusals: { list: 'data.{{object}}Create.userErrors' } }`,
      { data: { thingsCreate: { userErrors: [{ field: null, message: 'Name it.' }] } } },
      ['Name it.'],
    ],
    [
      'an answer that calls itself none',
      'answer: { success: { success: true } }',
      { success: false, errors: [{ message: 'Malformed.' }, { message: 'Missing.' }] },
      ['Malformed.', 'Missing.'],
    ],
  ])('refused inside status 200: %s', async (_name, answer, body, messages) => {
    const { server, connector } = await connect(`write:\n  create: { path: /things }\n  ${answer}`, () => ({ body }))
    await using _ = server
    await expect(connector.write(create({}))).rejects.toMatchObject({
      class: 'bad_request',
      status: 200,
      providerMessage: messages[0],
      errors: messages.map((message) => ({ message })),
    })
  })

  it.each<[string, unknown, string[]]>([
    ['texts', { errors: ['a: must be', 'b: must be'] }, ['a: must be', 'b: must be']],
    ['title and detail', { errors: [{ title: 'Taken', detail: 'Name in use' }] }, ['Taken: Name in use']],
    ['by field', { error: 'Invalid', details: { name: [{ description: 'Too long' }] } }, ['name: Too long']],
    ['by field, texts', { errorMessages: [], errors: { project: 'Specify one' } }, ['project: Specify one']],
    ['a list as answer', [{ message: 'No such column' }], ['No such column']],
    ['declared', { Fault: { Error: [{ Text: 'Needed' }] } }, ['Needed']],
  ])('every single thing that is wrong is told: %s', async (_name, body, messages) => {
    const { server, connector } = await connect(
      `write: { create: { path: /things } }`,
      () => ({ status: 422, body }),
      'errors: { details: [{ list: Fault.Error, message: [Text] }] }',
    )
    await using _ = server
    await expect(connector.write(create({}))).rejects.toMatchObject({
      class: 'bad_request',
      errors: messages.map((message) => ({ message })),
    })
  })

  it('no refusal repeats the credential', async () => {
    const { server, connector } = await connect(
      `write: { answer: { refusals: { list: errors } }, create: { path: /things }, ${put} }`,
      ({ method }) => ({ status: method === 'POST' ? 200 : 400, body: { errors: [`bad key ${key}`] } }),
    )
    await using _ = server
    for (const request of [create({}), create({}, { type: 'update', id: '1' })]) {
      const error: unknown = await connector.write(request).catch((thrown: unknown) => thrown)
      expect(JSON.stringify(error)).toContain('bad key')
      expect(JSON.stringify(error)).not.toContain(key)
    }
  })
})

it('what a file can write is told by its catalogue entry', async () => {
  const { server, entry } = await connect(`write: { create: { path: /things } }`)
  await using _ = server
  expect(entry.implemented).toMatchObject({ read: true, write: true, delete: false })
})

describe('faults of a file', () => {
  it.each<[string, string]>([
    [`write: { update: { path: /things } }`, 'must use {{id}} to identify the record'],
    [`write: { create: { path: '/things/{{id}}' } }`, 'uses the variable "id", which is not declared here'],
    [`write: { delete: { path: '/things/{{id}}', body: { $value: record } } }`, 'uses the variable "record"'],
    [`write: { create: { path: /things, body: { '{{one}}': 1 } } }`, 'uses the variable "one"'],
    [`write: { create: { path: /things, answer: { data: '{{one}}' } } }`, 'uses the variable "one"'],
    [`write: { gather: [{ match: '(', into: a }], create: { path: /things } }`, 'is not a pattern in RE2 syntax'],
    [`get: { path: /things }`, 'must use {{id}} to identify the record'],
  ])('%s', async (object, message) => {
    await expect(connect(object)).rejects.toThrow(message)
  })
})

describe('patterns', () => {
  const write = (answer: string, body: unknown, status = 200) => {
    const object = `write: { create: { path: /things, answer: ${answer} } }`
    return connect(object, () => ({ status, body }))
  }
  it.each([
    ["{ success: { status: { matches: '^(ok|saved)$' } } }", { status: 'saved' }, { status: 'not saved' }],
    ["{ success: { '': { matches: ' 200 Ok' } } }", 'RT/4.4 200 Ok: created', 'RT/4.4 409 Syntax'],
    ['{ success: { messages: { matches: created } } }', { messages: ['Thing 7 created'] }, { messages: ['No'] }],
    ["{ refusals: { list: '', matches: not } }", ['saved'], ['saved', 'not allowed']],
    ["{ refusals: { list: '', matches: not } }", 'saved', 'not allowed'],
    [
      '{ refusals: { list: log, message: [text], matches: ^E } }',
      { log: [{ text: 'I fine' }] },
      { log: [{ text: 'E bad' }] },
    ],
  ])('of %s tell a success from a refusal', async (answer, good, bad) => {
    const accepted = await write(answer, good)
    await using _ = accepted.server
    expect(await accepted.connector.write(create({ a: 1 }))).toMatchObject({ success: true })
    const refused = await write(answer, bad)
    await using __ = refused.server
    await expect(refused.connector.write(create({ a: 1 }))).rejects.toMatchObject({ class: 'bad_request' })
  })

  it('that the engine does not know are refused by the check, with the reason', () => {
    for (const answer of ["{ success: { a: { matches: '(?=a)' } } }", "{ refusals: { list: '', matches: '(a' } }"]) {
      expect(() => thingsProvider(`${read}write: { create: { path: /things, answer: ${answer} } }`)).toThrow(
        /is not a pattern in RE2 syntax/,
      )
    }
  })
})
