import { describe, expect, it } from 'vitest'
import { normalizeDomain, normalizeEmail } from './address.ts'

describe('a mail address', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['  ada@example.com ', 'ada@example.com'],
    ['ada+tag@example.com', 'ada+tag@example.com'],
    ["o'neil.{x}@example.com", "o'neil.{x}@example.com"],
    ['ada@Bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada@localhost', 'ada@localhost'],
    ['ada@example.com.', 'ada@example.com'],
  ])('%s is stored as %s', (text, email) => expect(normalizeEmail(text)).toBe(email))

  it.each([
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'ada@@example.com',
    'ada lovelace@example.com',
    'ada@exam ple.com',
    'ada@example.com\r\nBcc: all@example.com',
    'ada\r\n@example.com',
    'ada@example..com',
    'ada@-example.com',
    'ada@127.0.0.1',
    'ada@[::1]',
    'ada@example.com/path',
    'ada@example.com:25',
    'ada@user:pw@example.com',
    'Ada <ada@example.com>',
    'ada@example.com,eve@example.com',
    'İ@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'a.'.repeat(126)}com`,
    'ada@%65xample.com',
  ])('%j is none', (text) => expect(normalizeEmail(text)).toBeUndefined())
})

describe('a domain', () => {
  it.each([
    ['example.com', 'example.com'],
    ['Example.COM.', 'example.com'],
    ['www.example.com', 'example.com'],
    ['ada@example.com', 'example.com'],
    ['https://www.example.com/jobs?x=1', 'example.com'],
    ['https://ada:pw@example.com:8443/@x', 'example.com'],
    ['http://Bücher.example', 'xn--bcher-kva.example'],
    ['sub.example.co.uk', 'sub.example.co.uk'],
  ])('of %s is %s', (text, domain) => expect(normalizeDomain(text)).toBe(domain))

  it.each([
    '',
    'example',
    'localhost',
    'ada@localhost',
    '127.0.0.1',
    'https://127.0.0.1/',
    'https://[::1]/',
    'a b.com',
    '.com',
    'www.',
    'https://',
    'mailto:',
    '*.example.com',
    '%00.com',
    '0x7f.1',
  ])('is not in %j', (text) => expect(normalizeDomain(text)).toBeUndefined())
})
