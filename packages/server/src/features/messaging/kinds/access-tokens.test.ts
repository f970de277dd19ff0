import { describe, expect, it } from 'vitest'
import { AccessTokens, checkTokenType } from './access-tokens.ts'

const token = (text: string, expiresMs = 1_000) => ({ token: text, expiresMs })

describe('tokens in memory', () => {
  it('of a project with many destinations leave those of other projects', () => {
    // Space for about 20 tokens.
    const tokens = new AccessTokens(20 * 500)
    for (const project of ['small', 'other']) tokens.set(project, 'only', token('x'.repeat(100)))
    for (let at = 0; at < 1_000; at++) tokens.set('large', `key-${at}`, token('x'.repeat(100)))
    expect(['small', 'other'].map((project) => tokens.find(project, 'only', 0)?.length)).toEqual([100, 100])
    const left = Array.from({ length: 1_000 }, (_, at) => tokens.find('large', `key-${at}`, 0)).filter(Boolean)
    expect(left).toHaveLength(18)
  })

  it('are used up to their end, and the least recently used one goes first', () => {
    const tokens = new AccessTokens(3 * 500)
    for (const key of ['a', 'b', 'c']) tokens.set('one', key, token('x'.repeat(100)))
    expect(tokens.find('one', 'a', 999)).toBe('x'.repeat(100))
    expect(tokens.find('one', 'a', 1_000)).toBeUndefined()
    tokens.set('one', 'd', token('x'.repeat(100)))
    expect(['a', 'b', 'c', 'd'].map((key) => tokens.find('one', key, 0) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ])
  })

  it('are replaced and deleted, and a project does not see those of another', () => {
    const tokens = new AccessTokens(2 * 500)
    for (let at = 0; at < 10; at++) tokens.set('one', 'a', token(`token-${at}`))
    tokens.set('two', 'a', token('of two'))
    expect([tokens.find('one', 'a', 0), tokens.find('two', 'a', 0)]).toEqual(['token-9', 'of two'])
    tokens.delete('one', 'a')
    tokens.delete('one', 'never')
    expect([tokens.find('one', 'a', 0), tokens.find('two', 'a', 0)]).toEqual([undefined, 'of two'])
  })
})

it.each([undefined, null, 'Bearer', 'bearer', 'BEARER'])('a token of type %s is sent as Bearer', (type) => {
  expect(() => checkTokenType(type, [])).not.toThrow()
})

it.each([
  ['DPoP', 'the type DPoP'],
  ['mac', 'the type mac'],
  ['', 'another type'],
  [5, 'another type'],
  ['two words', 'another type'],
  // An echo.
  ['s3cret', 'another type'],
])('a token of type %s is refused', (type, named) => {
  expect(() => checkTokenType(type, ['my-s3cret-value'])).toThrow(
    `an access token of ${named}, and Mortise sends only Bearer tokens`,
  )
})
