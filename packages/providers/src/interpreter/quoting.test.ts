import { expect, it } from 'vitest'
import { filters } from './quoting.ts'

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
