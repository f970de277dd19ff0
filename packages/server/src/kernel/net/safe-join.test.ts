import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assertHostValue, safeJoin, UnsafePath } from './safe-join.ts'

const base = 'https://api.example.com/v1'

describe('joining', () => {
  test.each([
    ['/contacts', 'https://api.example.com/v1/contacts'],
    ['/contacts?after=a%20b&x=//y', 'https://api.example.com/v1/contacts?after=a%20b&x=//y'],
    ['/a//b', 'https://api.example.com/v1/a//b'],
    ['/a:batch/@me', 'https://api.example.com/v1/a:batch/@me'],
    ['/a%2Fb', 'https://api.example.com/v1/a%2Fb'],
    ['/..hidden/x...', 'https://api.example.com/v1/..hidden/x...'],
  ])('%s stays below the base', (path, url) => {
    expect(safeJoin(base, path).href).toBe(url)
    expect(safeJoin(`${base}/`, path).href).toBe(url)
  })
  test.each([
    '//evil.com',
    '/\\evil.com',
    '\\\\evil.com',
    '/\t/evil.com',
    '/\n/evil.com',
    '@evil.com',
    '.evil.com',
    ':443@evil.com',
    'http://evil.com/',
    '',
    '/..//evil.com',
    '/a/../../x',
    '/%2e%2E/x',
    '/.',
    '/a\u0000b',
    '/a b',
    '/a#b',
  ])('%j is refused', (path) => {
    expect(() => safeJoin(base, path)).toThrow(UnsafePath)
  })
  test('no text whatsoever leaves the origin or climbs above the base', () => {
    const hostile = fc.string({ unit: fc.constantFrom(...'/\\.@:%?#[]2eE \t\nevilcom') })
    fc.assert(
      fc.property(fc.oneof(fc.string(), hostile), (path) => {
        for (const candidate of [path, `/${path}`]) {
          try {
            const url = safeJoin(base, candidate)
            expect(url.origin).toBe('https://api.example.com')
            expect(url.username + url.password).toBe('')
            expect(url.pathname.startsWith('/v1/')).toBe(true)
          } catch (error) {
            expect(error).toBeInstanceOf(UnsafePath)
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('values in a host', () => {
  const check = (value: string) =>
    assertHostValue(value, new URL(`https://${value}.example.com`).hostname, '.example.com')
  test.each(['acme', 'a', 'acme-eu1', 'acme.my', '42'])('%s passes', (value) => {
    expect(() => check(value)).not.toThrow()
  })
  test.each([
    'evil.com/',
    'evil.com#',
    'evil.com?',
    'evil.com\\',
    'a@evil.com/',
    'x:443/',
    '%2e',
    'bücher',
    'ACME',
    '',
    '-a',
    'a-',
    '.a',
    'a..b',
    'a_b',
  ])('%j is refused', (value) => {
    expect(() => assertHostValue(value, 'x.example.com', '.example.com')).toThrow(UnsafePath)
  })
  test('a host that does not end as the template does is refused', () => {
    expect(() => assertHostValue('acme', 'acme.evil.com', '.example.com')).toThrow(UnsafePath)
  })
})
