import { expect, test } from 'vitest'
import { forwardUrl } from './forward.ts'

test.each([
  'http://localhost:3000/hooks',
  'https://localhost',
  'http://app.localhost:3000',
  'http://[::1]:1',
  'http://127.0.0.2:1',
  'http://0x7f.1:1',
  'http://LOCALHOST',
])('%s is this computer', (text) => expect(forwardUrl(text, false).href).toBe(new URL(text).href))

test.each([
  'http://example.com',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'http://10.0.0.1',
  'http://0.0.0.0',
  'http://[::]',
  'http://169.254.169.254',
  'http://user@example.com#localhost',
])('%s is another one', (text) => {
  expect(() => forwardUrl(text, false)).toThrow('--allow-remote')
  expect(forwardUrl(text, true).href).toBe(new URL(text).href)
})

test.each(['ftp://localhost', 'localhost:3000', '/hooks', ''])('“%s” is not a URL to forward to', (text) => {
  expect(() => forwardUrl(text, true)).toThrow('not a URL')
})
