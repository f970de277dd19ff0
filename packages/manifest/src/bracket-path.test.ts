import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatBracketPath, parseBracketPath } from './bracket-path.ts'

describe('paths in bracket form (RFC 9535)', () => {
  it.each<[string, string[]]>([
    ["$['a']", ['a']],
    ["$['a']['b c']", ['a', 'b c']],
    ['$["a"]["it\'s"]', ['a', "it's"]],
    ["$['it\\'s']", ["it's"]],
    ["$['a\\\\b']['\\/']", ['a\\b', '/']],
    ["$['\\u00e9\\uD83D\\uDE00\\n']", ['é😀\n']],
    ["$[ 'a' ] ['b']", ['a', 'b']],
    ["$['']", ['']],
    ["$['a]b.c']", ['a]b.c']],
  ])('%s', (path, names) => {
    expect(parseBracketPath(path)).toEqual(names)
  })

  it.each([
    '',
    '$',
    'a',
    '$.a',
    "['a']",
    '$[0]',
    '$[a]',
    "$['a'",
    "$['a']x",
    "$['a']['b]",
    "$['\\x']",
    "$['\\u12']",
    "$['\\uD800']",
    "$['\\\"']",
    "$['a\nb']",
    `$${"['a']".repeat(2000)}`,
  ])('%j is none', (path) => {
    expect(parseBracketPath(path)).toBeUndefined()
  })

  it('formatting and parsing are inverse', () => {
    const names = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(names, (given) => {
        expect(parseBracketPath(formatBracketPath(given))).toEqual(given)
      }),
    )
  })

  it('formats the normalized path', () => {
    expect(formatBracketPath(['a', "it's", '\u000b'])).toBe("$['a']['it\\'s']['\\u000b']")
  })
})
