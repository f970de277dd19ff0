import { expect, it } from 'vitest'
import { entryOf } from '../testing/provider.testkit.ts'
import { filters } from './quoting.ts'
import { compileRequest } from './request.ts'
import { scopeOf } from './scope.ts'

it.each([
  ['contacts', 'contact'],
  ['opportunities', 'opportunity'],
  ['addresses', 'address'],
  ['batches', 'batch'],
  ['faxes', 'fax'],
  ['statuses', 'status'],
  ['warehouses', 'warehouse'],
  ['new_projects', 'new_project'],
  ['business', 'business'],
  ['contact', 'contact'],
  ['', ''],
])('the singular of "%s" is "%s"', (many, one) => {
  expect(filters.singular(many)).toBe(one)
})

it('what is no text has no singular', () => {
  expect(filters.singular({})).toBeUndefined()
})

it('a value of COQL is in quotes unless it is a number, and has no backslash', () => {
  expect([`O'Brien`, true, 12.5, undefined].map(filters.coql)).toEqual(["'O''Brien'", "'true'", '12.5', undefined])
  expect(() => filters.coql("\\' or id > 0")).toThrow('backslash')
  expect(() => filters.coql('a\nb')).toThrow('control character')
})

it('a time has whole seconds, and another text stays as it is', () => {
  expect(filters.seconds('2026-03-04T05:06:07.890Z')).toBe('2026-03-04T05:06:07Z')
  expect(filters.seconds('2026-03-04T05:06:07.8+05:30')).toBe('2026-03-04T05:06:07+05:30')
  expect(filters.seconds('2026-03-04T05:06:07Z')).toBe('2026-03-04T05:06:07Z')
  expect(filters.seconds('version 1.5')).toBe('version 1.5')
})

it('a name of an enumeration is in capitals, with one underscore for what is between the words', () => {
  expect(filters.constant('orders/create')).toBe('ORDERS_CREATE')
  expect(filters.constant('customer.tags_added')).toBe('CUSTOMER_TAGS_ADDED')
  expect(filters.constant('Product')).toBe('PRODUCT')
  expect(filters.constant(undefined)).toBeUndefined()
})

it('a text is a number of 18 digits, always the same, and another text is another number', () => {
  expect(filters.digits('3f0c9b1e-7a52-4d55-9a38-0d8a6f1b2c3d')).toBe(
    filters.digits('3f0c9b1e-7a52-4d55-9a38-0d8a6f1b2c3d'),
  )
  const numbers = Array.from({ length: 1000 }, (_, at) => filters.digits(`text ${at}`))
  expect(new Set(numbers).size).toBe(1000)
  for (const number of numbers) expect(number).toMatch(/^[1-9]\d{17}$/)
  expect(filters.digits(undefined)).toBeUndefined()
})

it.each([
  ['https://api.example.com/events/7/guests/ab-9', 'ab-9'],
  ['https://api.example.com/events/7/', '7'],
  ['/events/7', '7'],
  ['7', '7'],
  [7, '7'],
])('the last part of %o is "%s"', (value, last) => {
  expect(filters.basename(value)).toBe(last)
})

it.each(['', '/', null, {}])('%o has no last part', (value) => {
  expect(filters.basename(value)).toBeUndefined()
})

it('a value in a path is one segment, or several where the file says so', () => {
  const url = (path: string, value: string) =>
    compileRequest({ path }).url(new URL('https://api.example.com/v1'), scopeOf({ object: value }), {}).pathname
  expect(url('/{{object}}/list', 'a/b c')).toBe('/v1/a%2Fb%20c/list')
  expect(url('/{{object|path}}/list', 'a/b c')).toBe('/v1/a/b%20c/list')
  for (const climbing of ['a/../b', '..', 'a//b', '/a', './a'])
    expect(() => url('/{{object|path}}', climbing)).toThrow('empty or only dots')
})

it('a file that would send the slashes of its own values encoded is refused', () => {
  const file = (path: string) => () =>
    entryOf(`name: test
baseUrl: https://api.example.com
authentication: [{ scheme: none }]
templates: { list: { read: { path: '${path}' } } }
objects: { a/b: { like: list }, c: { like: list, set: { kind: d } } }
`)
  expect(file('/{{object}}')).toThrow('sends the slash of "a/b" as %2F; write {{object|path}}')
  expect(file('/{{object|path}}')).not.toThrow()
})
