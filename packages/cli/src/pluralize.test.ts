import { expect, test } from 'vitest'
import { pluralize } from './pluralize.ts'

test.each([
  [0, '0 records'],
  [1, '1 record'],
  [20_000, '20,000 records'],
])('%i of something is said as people do', (count, text) => {
  expect(pluralize(count, 'record')).toBe(text)
})
