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
