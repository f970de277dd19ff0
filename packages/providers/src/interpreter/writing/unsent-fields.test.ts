import { describe, expect, it } from 'vitest'
import { createConnector } from '../../index.ts'
import { plainHttp } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'

function connect(object: string) {
  const entry = thingsProvider(`read: { path: /things }\n${object}`)
  const connection = {
    metadata: { baseUrl: 'https://things.example' },
    credential: { scheme: 'apiKey', apiKey: 'key' } as const,
  }
  return createConnector(entry, connection, plainHttp(fetch))
}

const unsent = (object: string, record: Record<string, unknown>) =>
  connect(object).unsentFields('things', 'create', [record], { batch: false })

describe('of a record is not sent', () => {
  it('nothing, where the request names the whole record, in the body or in a part of it', () => {
    for (const body of ['', 'body: { a: { b: { $spread: record, c: d } } }', 'body: [{ $value: record }]']) {
      expect(unsent(`write: { create: { path: /things, ${body} } }`, { a: 1, b: 2 }), body).toEqual([])
    }
  })

  it('what neither body, path, header, condition nor lookup names', () => {
    const write = `write:
  create:
    path: '/lists/{{record.list}}/things'
    headers: { X-Kind: '{{record.kind}}' }
    lookups: [{ name: owner, path: '/owners', query: { email: '{{record.email}}' }, value: id, unless: record.ownerId }]
    body: { name: '{{record.name}}', owner: '{{owner}}', tags: { $each: record.tags, $item: { label: '{{item.name}}' } } }`
    const record = { list: 1, kind: 2, email: 3, ownerId: 4, name: 5, tags: [{ name: 'x' }], nmae: 6, Name: 7 }
    expect(unsent(write, record)).toEqual([
      { field: 'nmae', records: [0], nearest: 'name' },
      { field: 'Name', records: [0], nearest: 'name' },
    ])
  })

  it('the rest of a value that is sent in parts, and a value that has no such parts', () => {
    const write = "write: { create: { path: /things, body: { city: '{{record.address.city}}' } } }"
    expect(unsent(write, { address: { city: 'Rome', street: 'Via', geo: { lat: 1 } } })).toEqual([
      { field: "$['address']['street']", records: [0] },
      { field: "$['address']['geo']", records: [0] },
    ])
    expect(unsent(write, { address: 'Via 1, Rome' })).toEqual([{ field: 'address', records: [0] }])
    expect(unsent(write, { 'address.city': 'Rome' })).toMatchObject([{ field: 'address.city' }])
  })

  it('nothing that gathering puts where the request names it', () => {
    const write = `write:
  gather: [{ match: 'custom_(?<result>.+)', into: custom }]
  create: { path: /things, body: { name: '{{record.name}}', custom: { $value: record.custom } } }`
    expect(unsent(write, { name: 'a', custom_color: 'red', color: 'red' })).toEqual([{ field: 'color', records: [0] }])
  })

  it('null that a template leaves out, but not null that is sent as a value or with the whole record', () => {
    const nulls = { a: null, b: null, c: { d: null, e: null }, f: null }
    const lost = (body: string, record: Record<string, unknown> = nulls) =>
      unsent(`write: { create: { path: /things, body: ${body} } }`, record).filter(({ isNull }) => isNull)
    const parts = "{ a: '{{record.a}}', b: { $value: record.b }, d: '{{record.c.d}}', e: { $value: record.c.e } }"
    expect(lost(parts)).toEqual([
      { field: 'a', records: [0], isNull: true },
      { field: 'c', records: [0], isNull: true },
    ])
    expect(lost(parts, { a: 1, b: null, c: { d: '', e: null } })).toEqual([])
    expect(lost("{ all: { $value: record }, a: '{{record.a}}' }")).toEqual([{ field: 'a', records: [0], isNull: true }])
    expect(lost('{ $spread: record }')).toEqual([])
    const list = "{ tags: { $each: record.tags, $item: { is: { $value: item } } }, d: '{{record.c.d}}' }"
    expect(lost(list, { tags: ['x'], c: { d: null } })).toEqual([{ field: 'c', records: [0], isNull: true }])
    expect(lost('[{ $each: changes, $item: { of: "{{item.name}}", is: { $value: item.value } } }]')).toEqual([])
  })

  it('a field named like a part of every object, unless the request names it', () => {
    const write = "write: { create: { path: /things, body: { name: '{{record.name}}' } } }"
    const record = JSON.parse('{ "__proto__": 1, "constructor": 2, "name": 3 }') as Record<string, unknown>
    expect(unsent(write, record).map(({ field }) => field)).toEqual(['__proto__', 'constructor'])
  })
})

it('a batch is compared with what it sends of each record', () => {
  const batch = (body: string) => {
    const things = connect(
      `write: { create: { path: /things }, batch: { create: { path: /batch, max: 5, ${body} answer: { results: r, success: { ok: true } } } } }`,
    )
    const records = [{ name: 'a', color: 1 }, { name: 'b' }, { color: 2 }]
    return things.unsentFields('things', 'create', records, { batch: true })
  }
  expect(batch("body: { list: { $each: items, $item: { name: '{{item.record.name}}' } } },")).toEqual([
    { field: 'color', records: [0, 2] },
  ])
  for (const body of [
    '',
    'body: { list: { $value: items } },',
    'body: { list: { $each: items, $item: { $spread: item.record } } },',
  ])
    expect(batch(body), body).toEqual([])
})
