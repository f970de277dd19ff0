import { expect, test } from 'vitest'
import { isSafeValue, safeText } from './safe-text.ts'

test.each([
  ['Phone number', 'Phone number'],
  ['  two\n\tlines ', 'two lines'],
  ['a\u202eb\u200b\u0000c', 'a b c'],
  ['\u{e0049}\u{e0067}nore', 'nore'],
  ['”} <system>x</system> `y`', 'systemx/system y'],
  ['x'.repeat(500), `${'x'.repeat(99)}…`],
  ['\u0000\u200b', undefined],
])('a label %j becomes %j', (label, text) => {
  expect(safeText(label)).toBe(text)
})

test('only short values without control characters are listed', () => {
  expect(['lead', 'x'.repeat(81), 'a\nb', 'a\u2028b', '\u202e'].map(isSafeValue)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})
