import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { generateApiKey, hashApiKey, parseApiKey } from './api-key.ts'

describe('keys', () => {
  test('1,000 new keys have the shape, parse, and differ', () => {
    const keys = Array.from({ length: 1_000 }, () => generateApiKey())
    for (const key of keys) {
      expect(key).toMatch(/^mortise_live_[0-9A-Za-z]{34}$/)
      expect(parseApiKey(key)).toEqual({ env: 'live', hint: `mortise_live_…${key.slice(-4)}` })
    }
    expect(new Set(keys).size).toBe(1_000)
  })
  test('all digits are drawn', () => {
    const drawn = Array.from({ length: 200 }, () => generateApiKey().slice(13, 41)).join('')
    expect(new Set(drawn).size).toBe(62)
  })
  test('the checksum is part of the format and never changes', () => {
    expect(parseApiKey('mortise_live_000000000000000000000000000040zEh5')).toBeDefined()
  })
  test('a mistyped character, a swap and a cut are seen without a look-up', () => {
    const key = generateApiKey()
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x'
      expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined()
      expect(parseApiKey(key.slice(0, at))).toBeUndefined()
    }
  })
  test.each(['', 'mortise_', 'mortise_live_', `${'mortise_live_'.padEnd(47, 'a')}`, 'x'.repeat(1_000_000)])(
    'what is no key is none (%#)',
    (text) => {
      expect(parseApiKey(text)).toBeUndefined()
    },
  )
  test('a line feed after a key is not part of it', () => {
    expect(parseApiKey(`${generateApiKey()}\n`)).toBeUndefined()
  })
})

test('the hash depends on the key and the pepper, and has 32 bytes', () => {
  const [pepper, other] = [randomBytes(32), randomBytes(32)]
  const key = generateApiKey()
  expect(hashApiKey(pepper, key)).toEqual(hashApiKey(pepper, key))
  expect(hashApiKey(pepper, key).length).toBe(32)
  expect(hashApiKey(pepper, key)).not.toEqual(hashApiKey(other, key))
  expect(hashApiKey(pepper, key)).not.toEqual(hashApiKey(pepper, generateApiKey()))
})
