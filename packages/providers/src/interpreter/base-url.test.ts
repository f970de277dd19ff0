import { expect, it } from 'vitest'
import { InvalidInputs } from '../provider-error.ts'
import { joinPath, plainUrl, resolveBaseUrl, resolveUrl, sameOriginUrl } from './base-url.ts'
import { compileRequest, scopeOf } from './request.ts'

const hostile = [
  'evil.com/',
  'evil.com#',
  'evil.com?',
  'evil.com\\',
  'a@evil.com/',
  'a@evil.com',
  'x:443/',
  'x:443',
  '%2e',
  'éxample',
  '',
  '..',
  '-a',
  'a-',
  'a..b',
  'a b',
  'a\tb',
  'a\nb',
  '{{x}}',
  '127.1',
  'a'.repeat(254),
]

it.each(hostile)('the value %j cannot stand in the host', (value) => {
  for (const template of ['https://{{w}}.zendesk.com', 'https://rest.{{w}}.braze.com/v1', 'https://{{w}}']) {
    const resolve = () => resolveBaseUrl(template, () => value)
    // A dotted number is only another spelling of a host when it is the whole host.
    if (value === '127.1' && !template.endsWith('{{w}}')) expect(resolve().hostname).toMatch(/\.(zendesk|braze)\.com$/)
    else expect(resolve).toThrow(InvalidInputs)
  }
})

it.each([
  ['https://{{w}}.zendesk.com', 'acme', 'https://acme.zendesk.com/'],
  ['https://{{w}}.zendesk.com', 'ACME', 'https://acme.zendesk.com/'],
  ['https://{{w}}.zendesk.com', 'evil.com', 'https://evil.com.zendesk.com/'],
  ['https://{{w}}/restapi', 'shop.example.com', 'https://shop.example.com/restapi'],
  ['https://api.example.com/{{w}}/v1', 'a/../b?c#d', 'https://api.example.com/a%2F..%2Fb%3Fc%23d/v1'],
  ['{{w}}/wp-json', 'http://127.0.0.1:8080/blog/', 'http://127.0.0.1:8080/blog/wp-json'],
  ['{{w}}/wp-json', 'https://[::1]:8443', 'https://[::1]:8443/wp-json'],
])('%s with %s is %s', (template, value, url) => {
  expect(resolveBaseUrl(template, () => value).href).toBe(url)
})

it.each([
  'ftp://a.example',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://user@a.example',
  'https://user:pw@a.example',
  'https://a.example?x=1',
  'https://a.example#x',
  'https://a.example\\@b.example',
  ' https://a.example',
  'a.example',
  '//a.example',
])('%j is no URL that a customer may give as base', (value) => {
  expect(plainUrl(value)).toBeUndefined()
  expect(() => resolveBaseUrl('{{w}}/v1', () => value)).toThrow(InvalidInputs)
})

it('the refusal names the input and not the value', () => {
  const refused = () => resolveBaseUrl('https://{{workspace}}.example.com', () => 'evil.com/secret')
  expect(refused).toThrow(/^workspace: /)
  expect(refused).not.toThrow(/secret/)
})

const base = new URL('https://api.example.com/v1')

it.each([
  '//evil.com',
  '/\\evil.com',
  '\\\\evil.com',
  '/\t/evil.com',
  '@evil.com',
  '.evil.com',
  'http://evil.com/',
  '/..//evil.com',
  '/../admin',
  '/%2e%2e/admin',
  '/a/./b',
  '/a#b',
  '',
])('the path %j is refused', (path) => {
  expect(() => joinPath(base, path)).toThrow(RangeError)
})

it('a path stays below the base', () => {
  expect(joinPath(base, '/contacts?x=//evil.com').href).toBe('https://api.example.com/v1/contacts?x=//evil.com')
  expect(joinPath(new URL('https://api.example.com/'), '/a').href).toBe('https://api.example.com/a')
})

it.each(['..', '.', '', '//evil.com', '/\\evil.com', '@evil.com', '../..', '?x', '#x', '%2e%2e'])(
  'the value %j of a path variable stays one segment or is refused',
  (value) => {
    const request = compileRequest({ path: '/objects/{{id}}/list' })
    try {
      const url = request.url(base, scopeOf({ id: value }), {})
      expect(url.origin).toBe(base.origin)
      expect(url.pathname).toBe(`/v1/objects/${encodeURIComponent(value)}/list`)
      expect(url.search).toBe('')
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError)
    }
  },
)

it('a next URL is taken on the same origin only', () => {
  expect(sameOriginUrl(base, '/v2/next?a=1')?.href).toBe('https://api.example.com/v2/next?a=1')
  expect(sameOriginUrl(base, '?page=2')?.href).toBe('https://api.example.com/v1?page=2')
  for (const next of [
    'http://api.example.com/x',
    'https://api.example.com:8443/x',
    'https://api.example.com.evil.com/x',
    'https://api.example.com@evil.com/x',
    'https://me@api.example.com/x',
    '//evil.com/x',
    '/\\evil.com/x',
    'data:text/plain,x',
  ]) {
    expect(sameOriginUrl(base, next), next).toBeUndefined()
  }
})

it('a health check on a host of its own is resolved with the same care', () => {
  expect(resolveUrl('https://{{w}}.example.com/me?full=1', () => 'acme').href).toBe(
    'https://acme.example.com/me?full=1',
  )
  expect(() => resolveUrl('https://{{w}}.example.com/me', () => 'evil.com/')).toThrow(InvalidInputs)
})

it.each(['..', '.', '', undefined])('%j cannot stand in the path of a URL, and is told as a bad input', (value) => {
  for (const template of ['https://login.example.com/{{w}}/token', 'https://login.example.com/{{w}}?full=1'])
    expect(() => resolveUrl(template, () => value)).toThrow(InvalidInputs)
})

it.each([
  ['https://api.example.com/me?of={{w}}', 'a&b=c#d', 'https://api.example.com/me?of=a%26b%3Dc%23d'],
  ['https://api.example.com/{{w}}/token', '@evil.com', 'https://api.example.com/%40evil.com/token'],
])('%s with %s is %s as a whole URL', (template, value, url) => {
  expect(resolveUrl(template, () => value).href).toBe(url)
})
