import { createCipheriv, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEnvelope, SealBroken, type SealedAt, UnknownSealKey } from './envelope.ts'
import { createKeyring } from './keyring.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]
const envelope = createEnvelope(createKeyring({ active: first }))
const at: SealedAt = { table: 'connection_credentials', project: 'p1', row: 'r1', column: 'access_token' }

describe('round trips', () => {
  test('10,000 random values open where they were sealed', () => {
    const places = fc.record({ table: fc.string(), project: fc.string(), row: fc.string(), column: fc.string() })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), places, (bytes, place) => {
        expect(envelope.open(envelope.seal(Buffer.from(bytes), place), place).equals(bytes)).toBe(true)
      }),
      { numRuns: 10_000 },
    )
  })
  test('text comes back as UTF-8, and nothing of it shows', () => {
    const sealed = envelope.seal('grüße, 世界', at)
    expect(envelope.open(sealed, at).toString()).toBe('grüße, 世界')
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9+/]{80}\.[A-Za-z0-9+/]{16}\.[A-Za-z0-9+/]+={0,2}$/)
  })
  test('the same value is never sealed the same way twice', () => {
    const parts = [0, 1].flatMap(() => envelope.seal('same', at).split('.').slice(2))
    expect(new Set(parts).size).toBe(6)
  })
})

describe('tampering', () => {
  const sealed = envelope.seal('a secret of some length', at)
  const parts = sealed.split('.')

  test('every bit of every part counts', () => {
    let mutations = 0
    for (const part of [2, 3, 4]) {
      const bytes = Buffer.from(parts[part]!, 'base64')
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = Buffer.from(bytes)
        flipped[bit >> 3]! ^= 1 << (bit & 7)
        const mutated = parts.with(part, flipped.toString('base64')).join('.')
        expect(() => envelope.open(mutated, at)).toThrow(SealBroken)
        mutations++
      }
    }
    expect(mutations).toBeGreaterThan(200)
  })
  test('every character counts: changed, dropped, doubled, or one more', () => {
    for (let index = 0; index < sealed.length; index++) {
      const [before, here, after] = [sealed.slice(0, index), sealed[index], sealed.slice(index + 1)]
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
      expect(() => envelope.open(sealed + extra, at)).toThrow(SealBroken)
      expect(() => envelope.open(extra + sealed, at)).toThrow(SealBroken)
    }
  })
  test('spare bits of base64 cannot be used', () => {
    // One byte of plaintext: 17 bytes, so that the last character before "=" has spare bits.
    const short = envelope.seal('x', at)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const last = short.at(-2)!
    const twin = `${short.slice(0, -2)}${alphabet[alphabet.indexOf(last) + 1]}=`
    expect(Buffer.from(twin.split('.')[4]!, 'base64')).toEqual(Buffer.from(short.split('.')[4]!, 'base64'))
    expect(() => envelope.open(twin, at)).toThrow(SealBroken)
  })
  test('another table, project, row or column does not open it', () => {
    for (const field of ['table', 'project', 'row', 'column'] as const) {
      expect(() => envelope.open(sealed, { ...at, [field]: 'other' })).toThrow(SealBroken)
    }
    const shifted = { ...at, table: 'a', project: 'b|c' }
    expect(() => envelope.open(envelope.seal('x', shifted), { ...at, table: 'a|b', project: 'c' })).toThrow(SealBroken)
  })
  test('what was opened where it belongs opens nowhere else all the same', () => {
    const own = envelope.seal('opened before', at)
    expect(envelope.open(own, at).toString()).toBe('opened before')
    expect(envelope.open(own, at).toString()).toBe('opened before')
    expect(() => envelope.open(own, { ...at, row: 'r2' })).toThrow(SealBroken)
    const without = createEnvelope(createKeyring({ active: second }))
    expect(() => without.open(own, at)).toThrow(UnknownSealKey)
  })
  test('parts of two sealed values of the same row do not mix', () => {
    const other = envelope.seal('another secret of length', at).split('.')
    for (const part of [2, 3, 4]) {
      expect(() => envelope.open(parts.with(part, other[part]!).join('.'), at)).toThrow(SealBroken)
    }
  })
  test.each([0, 4, 8, 12, 15])('a tag of %i bytes is refused', (length) => {
    const bytes = Buffer.from(parts[4]!, 'base64')
    const cut = bytes.subarray(0, bytes.length - 16 + length).toString('base64')
    expect(() => envelope.open(parts.with(4, cut).join('.'), at)).toThrow(SealBroken)
  })
  test('a ciphertext shorter than a tag is refused', () => {
    for (let length = 0; length < 16; length++) {
      const short = parts.with(4, Buffer.alloc(length, 7).toString('base64')).join('.')
      expect(() => envelope.open(short, at)).toThrow(SealBroken)
    }
  })
  test('a value that is not sealed, of another version, or made with a foreign data key is refused', () => {
    const cipher = createCipheriv('aes-256-gcm', randomBytes(32), randomBytes(12))
    const foreign = Buffer.concat([cipher.update('x'), cipher.final(), cipher.getAuthTag()]).toString('base64')
    for (const text of ['', 'plain', 'v1....', parts.with(0, 'v2').join('.'), parts.with(4, foreign).join('.')]) {
      expect(() => envelope.open(text, at)).toThrow(SealBroken)
    }
  })
  test('the error says nothing of what was wrong', () => {
    const messages = [sealed.slice(0, -1), `v2${sealed.slice(2)}`, parts.with(2, 'A'.repeat(80)).join('.')].map(
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
  const sealed = envelope.seal('kept', at)

  test('a value under a key that is not held names that key', () => {
    expect(() => newest.open(sealed, at)).toThrow(UnknownSealKey)
    expect(() => newest.rewrap(sealed, at)).toThrow(new RegExp(envelope.keyIdOf(sealed)))
  })
  test('a rewrapped value opens under the new key alone, and keeps its ciphertext', () => {
    expect(newer.open(sealed, at).toString()).toBe('kept')
    const rewrapped = newer.rewrap(sealed, at)
    expect(newest.open(rewrapped, at).toString()).toBe('kept')
    expect(() => envelope.open(rewrapped, at)).toThrow(UnknownSealKey)
    expect(rewrapped.split('.').slice(3)).toEqual(sealed.split('.').slice(3))
    expect(newer.rewrap(rewrapped, at)).toBe(rewrapped)
  })
  test('a wrong key id does not pass for the right one', () => {
    const id = newest.keyIdOf(newest.seal('x', at))
    expect(() => newer.open(sealed.split('.').with(1, id).join('.'), at)).toThrow(SealBroken)
  })
  test('rewrapping elsewhere is refused', () => {
    expect(() => newer.rewrap(sealed, { ...at, row: 'r2' })).toThrow(SealBroken)
  })
})
