import { expect, test } from 'vitest'
import { compilePattern, patternFault } from './pattern.ts'

test.each(['^(a+)+$', '(a|aa)+$', '(a*)*b', '([a-zA-Z]+)*$', '(.*a){20}$', '^(?:(?:a?){20}a){9}$'])(
  'a pattern that takes native expressions hours ends: %s',
  (pattern) => {
    expect(patternFault(pattern)).toBeUndefined()
    expect(compilePattern(pattern).test(`${'a'.repeat(2_000)}!`)).toBeTypeOf('boolean')
  },
)
test.each([
  ['(?=a)b', 'invalid or unsupported Perl syntax: `(?=`'],
  ['(?<!a)b', 'invalid named capture'],
  ['(a)\\1', 'invalid escape sequence: `\\1`'],
  ['(a', 'missing closing )'],
  ['((a{100}){100}){100}', 'invalid repeat count'],
  ['(?:a{500}){2}', 'it repeats too much'],
  ['a'.repeat(1_001), 'longer than 1000 characters'],
])('a pattern that the engine does not take is refused, and where is said: %s', (pattern, reason) => {
  expect(patternFault(pattern)).toContain(reason)
})
test('the group `result` is what a pattern finds', () => {
  expect(compilePattern('/repos/(?<result>[^/]+)/').result('https://x/repos/mortise/y')).toBe('mortise')
  expect(compilePattern('/repos/(?<result>[^/]+)/').result('https://x/')).toBeUndefined()
})
