import { expect, it } from 'vitest'
import type { SeenRequest } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { type Answers, connected, ids, readAll } from '../testing/things-reader.testkit.ts'

const object = `
read:
  path: /things
  query: { fields: '{{fields}}' }
  records: data
  fieldsAlways: [id]
  fieldsPerRequest: { bytes: 200, version: changed }
  paging: { kind: nextUrl, next: next }
  flatten: [properties]
get: { path: '/things/{{id}}', query: { fields: '{{fields}}' } }
readByIds:
  method: POST
  path: /by-ids
  body: { ids: { $value: ids }, fields: { $value: fields } }
  records: data
  max: 2
search: { path: /search, queryEach: [{ each: filters, name: '{{item.field}}', value: '{{item.value}}' }] }
`
/** 30 fields of 18 bytes each: more than two requests take. */
const names = Array.from({ length: 30 }, (_, at) => `field_number_${at + 10}`)

/** The fields that a request asks for, and the records that it asks for by their ids. */
function wanted({ url, body }: SeenRequest): { fields: string[]; ids?: string[] } {
  if (body !== '') return JSON.parse(body) as { fields: string[]; ids: string[] }
  return { fields: (url.searchParams.get('fields') ?? '').split(',') }
}

/** A record as a request for these fields gets it: some fields in `properties`. */
function record(id: string, fields: readonly string[], changed: string) {
  const { id: _, changed: __, ...values } = Object.fromEntries(fields.map((name) => [name, `${id} ${name} ${changed}`]))
  return { id, ...(fields.includes('changed') && { changed }), properties: values }
}

/** A provider with these records; `changedOf` says when each was changed last, at its request of that number. */
function provider(all: string[], changedOf: (id: string, request: number) => string | undefined = () => 'v1'): Answers {
  let requests = 0
  return (request) => {
    const { fields, ids: some } = wanted(request)
    const number = requests++
    const one = /\/things\/(\w+)$/.exec(request.url.pathname)?.[1]
    const found = (some ?? (one === undefined ? all : [one])).flatMap((id) => {
      const changed = changedOf(id, number)
      return changed === undefined ? [] : [record(id, fields, changed)]
    })
    if (one === undefined) return { body: { data: found } }
    return found.length === 0 ? { status: 404, body: {} } : { body: found[0] }
  }
}

it('a page, a search, and records by their ids have all fields, from requests that each have some', async () => {
  await connected(object, provider(['a', 'b', 'c']), async (connector, seen) => {
    const whole = (id: string) => Object.fromEntries(names.map((name) => [name, `${id} ${name} v1`]))
    const [page = []] = await readAll(connector, { fields: names.map((name) => `$['properties']['${name}']`) })
    expect(page.map(({ id, raw }) => [id, raw['properties']])).toEqual(['a', 'b', 'c'].map((id) => [id, whole(id)]))
    for (const request of seen) {
      expect(wanted(request).fields.slice(0, 2)).toEqual(['id', 'changed'])
      expect(encodeURIComponent(`${wanted(request).fields.join(',')},`).length).toBeLessThanOrEqual(200)
    }
    // Three parts: one is listed, two are requested by ids, of three records in two requests each.
    expect(seen.map(({ url }) => url.pathname)).toEqual([
      '/api/things',
      ...Array.from({ length: 4 }, () => '/api/by-ids'),
    ])
    const filters = [{ field: 'id', operator: 'eq', value: 'a' }] as const
    const found = await connector.search({ object: 'things', fields: names, filters })
    expect(found.records[0]?.raw['properties']).toEqual(whole('a'))
    expect((await connector.fetchRecord('things', 'b', names))?.raw['properties']).toEqual(whole('b'))
    const some = await connector.fetchRecords('things', ['a', 'c'], names)
    expect([...some.values()].map(({ raw }) => raw['properties'])).toEqual([whole('a'), whole('c')])
  })
})

it('a provider that counts fields gets so many in a request, among them those that are always requested', async () => {
  const counted = object.replace('{ bytes: 200, version: changed }', '{ count: 12, version: changed }')
  await connected(counted, provider(['a', 'b']), async (connector, seen) => {
    const [page = []] = await readAll(connector, { fields: names.map((name) => `$['properties']['${name}']`) })
    expect(Object.keys(page[1]?.raw['properties'] as object)).toEqual(names)
    const sizes = seen.map((request) => wanted(request).fields.length)
    expect(sizes).toEqual([12, 12, 12])
  })
  const both = counted.replace('count: 12', 'count: 12, bytes: 200')
  await connected(both, provider(['a']), async (connector, seen) => {
    await readAll(connector, { fields: names })
    for (const request of seen) expect(wanted(request).fields.join(',').length).toBeLessThanOrEqual(200)
  })
})

it('a list of exactly as many fields as the provider takes is one request', async () => {
  const counted = object.replace('{ bytes: 200, version: changed }', '{ count: 12, version: changed }')
  await connected(counted, provider(['a']), async (connector, seen) => {
    await readAll(connector, { fields: names.slice(0, 11) })
    expect(seen.map((request) => wanted(request).fields.length)).toEqual([12])
    await readAll(connector, { fields: names.slice(0, 12) })
    expect(seen.slice(1).map((request) => wanted(request).fields.length)).toEqual([12, 4])
  })
})

it('a few fields are one request', async () => {
  await connected(object, provider(['a']), async (connector, seen) => {
    expect(ids(await readAll(connector, { fields: ['field_number_10'] }))).toEqual([['a']])
    expect(seen.map(({ url }) => url.search)).toEqual(['?fields=id%2Cfield_number_10'])
  })
})

it('a record that was deleted between the requests is left out', async () => {
  const answers = provider(['a', 'b'], (id, request) => (id === 'a' && request >= 2 ? undefined : 'v1'))
  await connected(object, answers, async (connector) => {
    expect(ids(await readAll(connector, { fields: names }))).toEqual([['b']])
  })
})

it('a record that changed between the requests is read again, and all its fields are of one version', async () => {
  const answers = provider(['a', 'b'], (id, request) => (id === 'a' && request >= 2 ? 'v2' : 'v1'))
  await connected(object, answers, async (connector) => {
    const [page = []] = await readAll(connector, { fields: names })
    const versions = page.map(({ id, raw }) => [
      id,
      raw['changed'],
      ...new Set(Object.values(raw['properties'] as object).map((value: string) => value.slice(-2))),
    ])
    expect(versions).toEqual([
      ['a', 'v2', 'v2'],
      ['b', 'v1', 'v1'],
    ])
  })
})

it('a record that never stays the same, and one without a version, end the read', async () => {
  const restless = provider(['a'], (_, request) => `version ${request}`)
  await connected(object, restless, async (connector, seen) => {
    await expect(readAll(connector, { fields: names })).rejects.toMatchObject({ class: 'provider_5xx' })
    expect(seen).toHaveLength(1 + 2 + 3 + 3)
  })
  const nameless: Answers = (request) => ({ body: { data: (wanted(request).ids ?? ['a']).map((id) => ({ id })) } })
  await connected(object, nameless, async (connector) => {
    await expect(readAll(connector, { fields: names })).rejects.toMatchObject({ class: 'unexpected_response' })
  })
})

it('a failure of one part is one of the page', async () => {
  const listed = provider(['a'])
  const answers: Answers = (request) =>
    request.url.pathname === '/api/by-ids' ? { status: 503, body: {} } : listed(request)
  await connected(object, answers, async (connector) => {
    await expect(readAll(connector, { fields: names })).rejects.toMatchObject({ class: 'provider_5xx' })
  })
})

it('fields that more requests need than anyone should send are refused before the first', async () => {
  const many = Array.from({ length: 300 }, (_, at) => `field_number_${at + 100}`)
  await connected(object, provider(['a']), async (connector, seen) => {
    await expect(readAll(connector, { fields: many })).rejects.toMatchObject({
      class: 'bad_request',
      message: expect.stringContaining('Select fewer fields'),
    })
    expect(seen).toEqual([])
  })
})

it('a next page whose URL has fewer fields than are wanted by now is completed, too', async () => {
  const plain = object.replace('  flatten: [properties]\n', '')
  const row = (id: string, fields: string[]) => ({
    id,
    changed: 'v1',
    ...Object.fromEntries(fields.map((name) => [name, id])),
  })
  const answers: Answers = (request) => {
    const { fields, ids: some } = wanted(request)
    if (some) return { body: { data: some.map((id) => row(id, fields)) } }
    const after = request.url.searchParams.get('after')
    return after === null
      ? { body: { data: [row('a', fields)], next: '/api/things?after=a' } }
      : { body: { data: [row('b', [])] } }
  }
  await connected(plain, answers, async (connector) => {
    const pages = await readAll(connector, { fields: names })
    expect(pages.flat().map(({ id, fields }) => [id, Object.keys(fields).length])).toEqual([
      ['a', 30],
      ['b', 30],
    ])
  })
})

it.each([
  ['fieldsPerRequest: { bytes: 200, version: changed }', 'readByIds:', 'needs "request", or "readByIds"'],
  [', fields: { $value: fields }', undefined, 'that uses {{fields}}'],
  ['ids: { $value: ids }, ', undefined, 'that uses {{ids}}'],
  ['bytes: 200, ', undefined, 'needs "bytes" or "count"'],
])('a file that could not join the parts is refused: %s', (text, cut, why) => {
  const without = cut === undefined ? object.replace(text, '') : object.replace(/readByIds:[\s\S]*max: 2\n/, '')
  expect(without).not.toBe(object)
  expect(() => thingsProvider(without)).toThrow(why)
})
