import { expect, it } from 'vitest'
import { compileRequest } from './request.ts'
import { scopeOf } from './scope.ts'

/** Requests that hold queries: what a caller gives stays one value in them. */

const base = new URL('https://api.test')
const filters = (...values: [string, unknown][]) => values.map(([field, value]) => ({ field, operator: 'eq', value }))

const soql = compileRequest({
  path: '/query',
  query: { q: 'SELECT {{fields|name}} FROM {{object}}{{where}}' },
  expressions: {
    where: {
      parts: ['SystemModstamp >= {{since}}', { each: 'filters', text: '{{item.field|name}} = {{item.value|soql}}' }],
      join: ' AND ',
      before: ' WHERE ',
      otherwise: '',
    },
  },
})

function query(values: Record<string, unknown>): string | null {
  return soql.url(base, scopeOf({ object: 'Lead', fields: ['Id', 'City'], ...values }), {}).searchParams.get('q')
}

it('parts without a value are left out, and so is what stands before them', () => {
  expect(query({})).toBe('SELECT Id,City FROM Lead')
  expect(query({ since: '2026-01-01T00:00:00Z' })).toBe(
    'SELECT Id,City FROM Lead WHERE SystemModstamp >= 2026-01-01T00:00:00Z',
  )
  expect(query({ since: '2026-01-01T00:00:00Z', filters: filters(['Name', 'Paris'], ['Age', 7]) })).toBe(
    "SELECT Id,City FROM Lead WHERE SystemModstamp >= 2026-01-01T00:00:00Z AND Name = 'Paris' AND Age = 7",
  )
})

it('no value leaves its place in the query', () => {
  expect(query({ filters: filters(['Name', "O'Neil\\' OR Name != '"]) })).toBe(
    "SELECT Id,City FROM Lead WHERE Name = 'O\\'Neil\\\\\\' OR Name != \\''",
  )
  expect(() => query({ filters: filters(['Name = Name OR Id', 'x']) })).toThrow(RangeError)
  expect(() => query({ filters: filters(['Name', 'a\nb']) })).toThrow(RangeError)
  expect(() => query({ fields: ['Id', 'City FROM User --'] })).toThrow(RangeError)
})

it.each([
  ['json', 'say "x"\n', '"say \\"x\\"\\n"'],
  ['json', true, 'true'],
  ['odata', "O'Neil", "'O''Neil'"],
  ['odata', 5, '5'],
  ['soql', false, 'false'],
  ['quoted', 'say "it\'s" \\', `'say "it\\'s" \\\\'`],
  ['quoted', true, 'true'],
  ['encodedQuery', 'a^ORb=c', 'a^^ORb=c'],
  ['encodedQuery', 7, '7'],
  ['listed', 'Acme, Inc.', 'Acme\\, Inc.'],
  ['listed', 7, '7'],
  ['lower', 'ÄB', 'äb'],
  ['name', 'Account.Name', 'Account.Name'],
])('%s writes %j as %s', (filter, value, written) => {
  const request = compileRequest({ path: '/x', query: { v: `{{value|${filter}}}` } })
  expect(request.url(base, scopeOf({ value }), {}).searchParams.get('v')).toBe(written)
})

it.each([
  ['encodedQuery', 'javascript:gs.getUserID()'],
  ['encodedQuery', ' JavaScript:1'],
  ['encodedQuery', 'a\nb'],
  ['listed', 'a\\'],
  ['listed', 'a\nb'],
  ['quoted', 'a\nb'],
])('%s refuses %j', (filter, value) => {
  const request = compileRequest({ path: '/x', query: { v: `{{value|${filter}}}` } })
  expect(() => request.url(base, scopeOf({ value }), {})).toThrow(RangeError)
})

it('a parameter may be made of a list, come several times, and be left out', () => {
  const request = compileRequest({
    path: '/x',
    query: { 'expand[]': ['a', '{{b}}', '{{absent}}'] },
    queryEach: [{ each: 'filters', name: 'filter[{{item.field|name}}]', value: '{{item.value}}' }],
  })
  const scope = scopeOf({ b: 'b&c', filters: filters(['email', 'a@b.c'], ['age', 7]) })
  expect([...request.url(base, scope, {}).searchParams]).toEqual([
    ['expand[]', 'a'],
    ['expand[]', 'b&c'],
    ['filter[email]', 'a@b.c'],
    ['filter[age]', '7'],
  ])
  expect(request.url(base, scopeOf({}), {}).search).toBe('?expand%5B%5D=a')
})

it('a list of a body takes one part per item, and keeps the types of values', () => {
  const request = compileRequest({
    method: 'POST',
    path: '/x',
    body: { all: [{ fixed: 1 }, { $each: 'filters', $item: { f: '{{item.field}}', v: { $value: 'item.value' } } }] },
  })
  expect(JSON.parse(request.body(scopeOf({ filters: filters(['a', true], ['b', 2]) })) ?? '')).toEqual({
    all: [{ fixed: 1 }, { f: 'a', v: true }, { f: 'b', v: 2 }],
  })
  expect(JSON.parse(request.body(scopeOf({})) ?? '')).toEqual({ all: [{ fixed: 1 }] })
})

it('a name in camel case is written as the language has it, and what is no name is refused', () => {
  const search = compileRequest({
    path: '/search',
    query: { q: '{{where}}' },
    expressions: { where: { parts: [{ each: 'filters', text: '{{item.field|underscored}}:{{item.value|json}}' }] } },
  })
  const of = (field: string) =>
    search.url(base, scopeOf({ filters: filters([field, 'a"b']) }), {}).searchParams.get('q')
  expect(of('productType')).toBe('product_type:"a\\"b"')
  expect(of('sku')).toBe('sku:"a\\"b"')
  expect(() => of('id OR sku')).toThrow(RangeError)
})
