import { createCipheriv, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEnvelope, DecryptionFailed, type EncryptedAt, UnknownEncryptionKey } from './envelope.ts'
import { createKeyring } from './keyring.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]
const envelope = createEnvelope(createKeyring({ active: first }))
const at: EncryptedAt = { table: 'connection_credentials', project: 'p1', row: 'r1', column: 'access_token' }

describe('round trips', () => {
  test('10,000 random values open where they were encrypted', () => {
    const places = fc.record({ table: fc.string(), project: fc.string(), row: fc.string(), column: fc.string() })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), places, (bytes, place) => {
        expect(envelope.open(envelope.encrypt(Buffer.from(bytes), place), place).equals(bytes)).toBe(true)
      }),
      { numRuns: 10_000 },
    )
  })
  test('text comes back as UTF-8, and nothing of it shows', () => {
    const encrypted = envelope.encrypt('grüße, 世界', at)
    expect(envelope.open(encrypted, at).toString()).toBe('grüße, 世界')
    expect(encrypted).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9+/]{80}\.[A-Za-z0-9+/]{16}\.[A-Za-z0-9+/]+={0,2}$/)
  })
  test('a value from before columns were renamed opens where it is now', () => {
    const key = Buffer.from(Array.from({ length: 32 }, (_, n) => (n * n * 7 + 13 * n + 91) % 256))
    const stored =
      'v1.b6b69bd6.WIJUW7skGKykrgV8zThGxfaxvsIxlZFgJ7oABDf2Vj90cOmVtik5NLruMluwkr7qYy6vMcwUcXRsrfOS.58KdvtLq9oe3bUU0.yR1ha0S1SUJ1KReQ8LNkLLe8Q+QmqVA5diITdFQ='
    const now = { table: 'provider_apps', project: 'p1', row: 'r1', column: 'encrypted_secret' }
    expect(
      createEnvelope(createKeyring({ active: key }))
        .open(stored, now)
        .toString(),
    ).toBe('stored before')
  })
  test('the same value is never encrypted the same way twice', () => {
    const parts = [0, 1].flatMap(() => envelope.encrypt('same', at).split('.').slice(2))
    expect(new Set(parts).size).toBe(6)
  })
  test('no nonce and no data key is used twice, however many values are encrypted', () => {
    const all = Array.from({ length: 1_000 }, () => envelope.encrypt('same', at).split('.').slice(2))
    for (const part of [0, 1, 2]) expect(new Set(all.map((parts) => parts[part])).size).toBe(all.length)
    const nonces = all.flatMap(([wrapped = '', nonce = '']) => [wrapped.slice(0, 16), nonce])
    expect(new Set(nonces).size).toBe(2 * all.length)
  })
})

describe('tampering', () => {
  const encrypted = envelope.encrypt('a secret of some length', at)
  const parts = encrypted.split('.')

  test('every bit of every part counts', () => {
    let mutations = 0
    for (const part of [2, 3, 4]) {
      const bytes = Buffer.from(parts[part]!, 'base64')
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = Buffer.from(bytes)
        flipped[bit >> 3]! ^= 1 << (bit & 7)
        const mutated = parts.with(part, flipped.toString('base64')).join('.')
        expect(() => envelope.open(mutated, at)).toThrow(DecryptionFailed)
        mutations++
      }
    }
    expect(mutations).toBeGreaterThan(200)
  })
  test('every character counts: changed, dropped, doubled, or one more', () => {
    for (let index = 0; index < encrypted.length; index++) {
      const [before, here, after] = [encrypted.slice(0, index), encrypted[index], encrypted.slice(index + 1)]
      for (const other of [
        '',
        `${here}${here}`,
        here === 'A' ? 'B' : 'A',
        here === '.' ? '' : '.',
        ' ',
        '=',
        '-',
        '\n',
      ]) {
        expect(() => envelope.open(before + other + after, at)).toThrow(/stored secret/)
      }
    }
    for (const extra of ['=', 'A', '.', ' ', '\n', '\u0000']) {
      expect(() => envelope.open(encrypted + extra, at)).toThrow(DecryptionFailed)
      expect(() => envelope.open(extra + encrypted, at)).toThrow(DecryptionFailed)
    }
  })
  test('spare bits of base64 cannot be used', () => {
    // One byte of plaintext: 17 bytes, so that the last character before "=" has spare bits.
    const short = envelope.encrypt('x', at)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const last = short.at(-2)!
    const twin = `${short.slice(0, -2)}${alphabet[alphabet.indexOf(last) + 1]}=`
    expect(Buffer.from(twin.split('.')[4]!, 'base64')).toEqual(Buffer.from(short.split('.')[4]!, 'base64'))
    expect(() => envelope.open(twin, at)).toThrow(DecryptionFailed)
  })
  test('another table, project, row or column does not open it', () => {
    for (const field of ['table', 'project', 'row', 'column'] as const) {
      expect(() => envelope.open(encrypted, { ...at, [field]: 'other' })).toThrow(DecryptionFailed)
    }
    const shifted = { ...at, table: 'a', project: 'b|c' }
    expect(() => envelope.open(envelope.encrypt('x', shifted), { ...at, table: 'a|b', project: 'c' })).toThrow(
      DecryptionFailed,
    )
  })
  test('what was opened where it belongs opens nowhere else all the same', () => {
    const own = envelope.encrypt('opened before', at)
    expect(envelope.open(own, at).toString()).toBe('opened before')
    expect(envelope.open(own, at).toString()).toBe('opened before')
    expect(() => envelope.open(own, { ...at, row: 'r2' })).toThrow(DecryptionFailed)
    const without = createEnvelope(createKeyring({ active: second }))
    expect(() => without.open(own, at)).toThrow(UnknownEncryptionKey)
  })
  test('parts of two encrypted values of the same row do not mix', () => {
    const other = envelope.encrypt('another secret of length', at).split('.')
    for (const part of [2, 3, 4]) {
      expect(() => envelope.open(parts.with(part, other[part]!).join('.'), at)).toThrow(DecryptionFailed)
    }
  })
  test.each([0, 4, 8, 12, 15])('a tag of %i bytes is refused', (length) => {
    const bytes = Buffer.from(parts[4]!, 'base64')
    const cut = bytes.subarray(0, bytes.length - 16 + length).toString('base64')
    expect(() => envelope.open(parts.with(4, cut).join('.'), at)).toThrow(DecryptionFailed)
  })
  test('a ciphertext shorter than a tag is refused', () => {
    for (let length = 0; length < 16; length++) {
      const short = parts.with(4, Buffer.alloc(length, 7).toString('base64')).join('.')
      expect(() => envelope.open(short, at)).toThrow(DecryptionFailed)
    }
  })
  test('a value that is not encrypted, of another version, or made with a foreign data key is refused', () => {
    const cipher = createCipheriv('aes-256-gcm', randomBytes(32), randomBytes(12))
    const foreign = Buffer.concat([cipher.update('x'), cipher.final(), cipher.getAuthTag()]).toString('base64')
    for (const text of ['', 'plain', 'v1....', parts.with(0, 'v2').join('.'), parts.with(4, foreign).join('.')]) {
      expect(() => envelope.open(text, at)).toThrow(DecryptionFailed)
    }
  })
  test('the error says nothing of what was wrong', () => {
    const messages = [encrypted.slice(0, -1), `v2${encrypted.slice(2)}`, parts.with(2, 'A'.repeat(80)).join('.')].map(
      (text) => {
        try {
          return envelope.open(text, at).toString()
        } catch (error) {
          return error instanceof Error ? [error.message, error.cause] : error
        }
      },
    )
    expect(new Set(messages.map((message) => JSON.stringify(message))).size).toBe(1)
  })
})

describe('keys', () => {
  const newer = createEnvelope(createKeyring({ active: second, retained: first }))
  const newest = createEnvelope(createKeyring({ active: second }))
  const encrypted = envelope.encrypt('kept', at)

  test('a value under a key that is not held names that key', () => {
    expect(() => newest.open(encrypted, at)).toThrow(UnknownEncryptionKey)
    expect(() => newest.rewrap(encrypted, at)).toThrow(new RegExp(envelope.keyIdOf(encrypted)))
  })
  test('a rewrapped value opens under the new key alone, and keeps its ciphertext', () => {
    expect(newer.open(encrypted, at).toString()).toBe('kept')
    const rewrapped = newer.rewrap(encrypted, at)
    expect(newest.open(rewrapped, at).toString()).toBe('kept')
    expect(() => envelope.open(rewrapped, at)).toThrow(UnknownEncryptionKey)
    expect(rewrapped.split('.').slice(3)).toEqual(encrypted.split('.').slice(3))
    expect(newer.rewrap(rewrapped, at)).toBe(rewrapped)
  })
  test('a wrong key id does not pass for the right one', () => {
    const id = newest.keyIdOf(newest.encrypt('x', at))
    expect(() => newer.open(encrypted.split('.').with(1, id).join('.'), at)).toThrow(DecryptionFailed)
  })
  test('a value that was changed is not rewrapped', () => {
    const parts = encrypted.split('.')
    for (const part of [2, 3, 4]) {
      const changed = parts.with(part, `*${parts[part]!.slice(1)}`).join('.')
      expect(() => newer.rewrap(changed, at)).toThrow(DecryptionFailed)
      expect(() => newer.keyIdOf(changed)).toThrow(DecryptionFailed)
    }
    expect(() => newer.rewrap(parts.with(4, 'AAAA').join('.'), at)).toThrow(DecryptionFailed)
  })
  test('rewrapping elsewhere is refused', () => {
    expect(() => newer.rewrap(encrypted, { ...at, row: 'r2' })).toThrow(DecryptionFailed)
  })
})
