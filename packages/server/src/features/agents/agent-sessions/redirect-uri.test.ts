import { expect, test } from 'vitest'
import { isRedirectUri, isSameRedirectUri } from './redirect-uri.ts'

test.each([
  'https://client.example/cb',
  'http://localhost:3000/cb',
  'http://127.0.0.1/cb',
  'http://[::1]:9/cb?x=1',
  'com.example.app:/cb',
  'cursor://anysphere.cursor-mcp/oauth/callback',
])('%s can be a redirect URI', (uri) => expect(isRedirectUri(uri)).toBe(true))

test.each([
  'http://client.example/cb',
  'http://localhost.evil.example/cb',
  'http://127.0.0.1.evil.example/cb',
  'http://localhost:1@evil.example/',
  'https://client.example/cb#x',
  'https://good.example\\@evil.example/',
  'https://client.example/a b',
  'https://client.example/\r\nset-cookie: x',
  'https://user:word@client.example/',
  'https://clíent.example/',
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'intent://scan/',
  'ms-msdt:/id',
  '/relative',
  '',
  `https://client.example/${'x'.repeat(2_000)}`,
])('%j cannot', (uri) => expect(isRedirectUri(uri)).toBe(false))

test('are compared exactly, but for the port of this computer', () => {
  expect(isSameRedirectUri('http://127.0.0.1/cb', 'http://127.0.0.1:5000/cb')).toBe(true)
  expect(isSameRedirectUri('http://localhost:1/cb', 'http://localhost:2/cb')).toBe(true)
  for (const [one, other] of [
    ['http://127.0.0.1/cb', 'http://127.0.0.1/other'],
    ['http://127.0.0.1/cb', 'http://localhost/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1/cb?x=1'],
    ['https://client.example/cb', 'https://client.example:8443/cb'],
    ['https://client.example/cb', 'https://client.example/cb/'],
    ['https://client.example/cb', 'https://CLIENT.example/cb'],
    ['com.example.app:/cb', 'com.example.app:/cb2'],
  ] as const)
    expect(isSameRedirectUri(one, other), other).toBe(false)
})
