import { expect, it } from 'vitest'
import { openCookies } from './session-cookies.ts'

const wiki = 'https://wiki.example.com/w/login'

function kept(lines: string[], url = wiki) {
  const cookies = openCookies()
  cookies.keep(url, { 'set-cookie': lines.join('\n') })
  return cookies
}

it('a cookie is sent to the host, path and protocol that it was set for, also after it was stored', () => {
  const cookies = kept([
    'sid=session-1; Path=/w; HttpOnly; Secure; Expires=Wed, 21 Oct 2099 07:28:00 GMT',
    'domain=wide; Domain=example.com; Path=/',
  ])
  for (const jar of [cookies, openCookies(cookies.stored())]) {
    expect(jar.headerFor('https://wiki.example.com/w/api.php')).toBe('sid=session-1; domain=wide')
    expect(jar.headerFor('https://wiki.example.com/other')).toBe('domain=wide')
    expect(jar.headerFor('http://wiki.example.com/w/api.php')).toBe('domain=wide')
    expect(jar.headerFor('https://files.example.com/')).toBe('domain=wide')
    expect(jar.headerFor('https://wiki.example.com.evil.test/w/')).toBeUndefined()
    expect(jar.headerFor('https://evil.test/w/')).toBeUndefined()
    expect(jar.valueOf(wiki, 'sid')).toBe('session-1')
    expect(jar.valueOf('https://evil.test/', 'sid')).toBeUndefined()
  }
})

it('a later cookie replaces an earlier one, and one that has ended is deleted', () => {
  const cookies = kept(['sid=old; Path=/', 'other=1; Path=/'])
  cookies.keep(wiki, { 'set-cookie': 'sid=new; Path=/\nother=; Path=/; Max-Age=0' })
  expect(cookies.headerFor(wiki)).toBe('sid=new')
})

it('a cookie that had ended when it was set is none', () => {
  expect(kept(['sid=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'zero=1; Max-Age=0']).values()).toEqual([])
  expect(kept(['sid=1; Path=/; Expires=Fri, 31 Dec 2100 23:59:59 GMT', 'zero=1; Max-Age=60']).values()).toEqual([
    '1',
    '1',
  ])
})

it.each([
  ['another host', 'sid=1; Domain=evil.test'],
  ['a subdomain of it', 'sid=1; Domain=deeper.wiki.example.com'],
  ['a public suffix', 'sid=1; Domain=com'],
  ['no name', '=; Path=/'],
  ['a control character', 'sid=a\u0001b'],
  ['a line break', 'sid=a\r; Path=/'],
  ['a cookie of 5,000 characters', `sid=${'x'.repeat(5_000)}`],
  ['a prefix that its attributes do not fit', '__Host-sid=1; Domain=example.com; Secure; Path=/'],
])('a cookie that a browser would not keep is ignored: %s', (_, line) => {
  expect(kept([line]).values()).toEqual([])
  expect(kept([line, 'good=1']).headerFor(wiki)).toBe('good=1')
})

it('an address without a name has cookies, too', () => {
  const url = 'http://127.0.0.1:8080/login'
  expect(kept(['sid=1; Path=/'], url).headerFor('http://127.0.0.1:8080/api')).toBe('sid=1')
})

it.each([
  ['51 cookies', Array.from({ length: 51 }, (_, at) => `c${at}=1`)],
  ['20,000 characters', Array.from({ length: 5 }, (_, at) => `c${at}=${'x'.repeat(4_000)}`)],
])('more cookies than a request can carry are refused: %s', (_, lines) => {
  expect(() => kept(lines)).toThrow('more cookies than a request can carry')
})
