import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import {
  createEnvelope,
  createKeyring,
  DecryptionFailed,
  type EncryptedAt,
  type Envelope,
  UnknownEncryptionKey,
} from '../../packages/server/src/kernel/encryption/index.ts'
import type { Attack } from './attack.ts'

/** Changes encrypted values in every way that a hand in the database could, and opens them. */

const roundTrips = { short: 500, long: 10_000 }
const plaintextBytesMax = 5_000
const tagBytes = 16
/** Of an ASCII character. */
const bits = [0, 1, 2, 3, 4, 5, 6]
/** Parts of an encrypted value, in its order. */
const part = { version: 0, keyId: 1, wrapped: 2, nonce: 3, box: 4 }

/** A value as it is opened: by whom, and for which row and column. */
interface Attempt {
  what: string
  envelope: Envelope
  encrypted: string
  at: EncryptedAt
}

export const attack: Attack = {
  id: 'S12',
  title: 'An encrypted value that was changed, cut or moved is refused, and every other one opens.',
  async run({ long }) {
    const faults: string[] = []
    const [older, newer] = [randomBytes(32), randomBytes(32)]
    const envelope = createEnvelope(createKeyring({ active: newer, retained: older }))
    const former = createEnvelope(createKeyring({ active: older }))
    const at = randomLocation()
    // With its tag no multiple of three bytes: its base64 has bits to spare, which must not be free.
    const secret = 'a secret with spare bits'
    const encrypted = envelope.encrypt(secret, at)
    const neighbor = { ...at, row: randomUUID() }
    const other = envelope.encrypt('another secret, of the next row', neighbor)

    const attempts: Attempt[] = [
      ...changedBytes(encrypted).map((mutated) => ({ what: 'a changed value', envelope, encrypted: mutated, at })),
      ...cut(encrypted).map((mutated) => ({ what: 'a cut value', envelope, encrypted: mutated, at })),
      ...shortTags(encrypted).map((mutated) => ({ what: 'a short tag', envelope, encrypted: mutated, at })),
      ...mixed(encrypted, other).map((mutated) => ({ what: 'parts of two values', envelope, encrypted: mutated, at })),
      ...elsewhere(at).map((location) => ({ what: 'a moved value', envelope, encrypted, at: location })),
      { what: 'the value of the next row', envelope, encrypted: other, at },
      { what: 'a value in the next row', envelope, encrypted, at: neighbor },
      { what: 'a value of a key that is not held', envelope: former, encrypted, at },
      {
        what: 'the id of the older key',
        envelope,
        encrypted: withPart(encrypted, 'keyId', former.keyIdOf(former.encrypt('', at))),
        at,
      },
      { what: 'the id of no key', envelope, encrypted: withPart(encrypted, 'keyId', '00000000'), at },
      { what: 'another version', envelope, encrypted: withPart(encrypted, 'version', 'v2'), at },
    ]
    let opened = 0
    for (const { what, envelope: by, encrypted: text, at: location } of attempts) {
      const result = outcomeOf(by, text, location)
      if (result === 'refused') continue
      opened++
      faults.push(`${what} is ${result}.`)
    }
    // The attack found nothing only if what it changed opens unchanged.
    if (envelope.open(encrypted, at).toString() !== secret) faults.push('the unchanged value does not open.')

    const trips = long ? roundTrips.long : roundTrips.short
    let lost = 0
    for (let done = 0; done < trips; done++) {
      const bytes = randomBytes(randomInt(plaintextBytesMax))
      const location = randomLocation()
      // Half of them under the older key, as a rotation finds them.
      const text = (done % 2 === 0 ? envelope : former).encrypt(bytes, location)
      const rewrapped = envelope.rewrap(text, location)
      if (![text, rewrapped].every((one) => envelope.open(one, location).equals(bytes))) lost++
    }
    return {
      passed: opened === 0 && lost === 0 && attempts.length >= 200,
      figures: { mutations: attempts.length, opened, roundTrips: trips, lost },
      faults: [...new Set(faults)],
    }
  },
}

function outcomeOf(envelope: Envelope, encrypted: string, at: EncryptedAt): 'refused' | 'opened' | 'an unknown error' {
  try {
    envelope.open(encrypted, at)
    return 'opened'
  } catch (error) {
    return error instanceof DecryptionFailed || error instanceof UnknownEncryptionKey ? 'refused' : 'an unknown error'
  }
}

/** Each bit of the text that is stored, and one of each byte of the decoded parts. */
function changedBytes(encrypted: string): string[] {
  const text = Buffer.from(encrypted)
  const ofText = Array.from(text, (_, index) => bits.map((bit) => flipped(text, index, bit).toString())).flat()
  const ofParts = (['wrapped', 'nonce', 'box'] as const).flatMap((name) => {
    const bytes = bytesOf(encrypted, name)
    return Array.from(bytes, (_, index) =>
      withPart(encrypted, name, flipped(bytes, index, index % 8).toString('base64')),
    )
  })
  return [...ofText, ...ofParts]
}

function flipped(bytes: Buffer, index: number, bit: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[index] = (copy[index] ?? 0) ^ (1 << bit)
  return copy
}

function cut(encrypted: string): string[] {
  return Array.from({ length: encrypted.length }, (_, length) => [
    encrypted.slice(0, length),
    encrypted.slice(length + 1),
  ]).flat()
}

/** Node's own decipher takes a tag of four bytes, which is guessed in 2^32 attempts. */
function shortTags(encrypted: string): string[] {
  const box = bytesOf(encrypted, 'box')
  const lengths = Array.from({ length: tagBytes }, (_, length) => length)
  return lengths.map((length) =>
    withPart(encrypted, 'box', box.subarray(0, box.length - tagBytes + length).toString('base64')),
  )
}

function mixed(one: string, other: string): string[] {
  return (['wrapped', 'nonce', 'box'] as const).map((name) => withPart(one, name, other.split('.')[part[name]] ?? ''))
}

function elsewhere(at: EncryptedAt): EncryptedAt[] {
  const shifted = { ...at, table: `${at.table}|${at.project}`, project: '' }
  return [...Object.keys(at).map((name) => ({ ...at, [name]: randomUUID() })), shifted]
}

function bytesOf(encrypted: string, name: keyof typeof part): Buffer {
  return Buffer.from(encrypted.split('.')[part[name]] ?? '', 'base64')
}

function withPart(encrypted: string, name: keyof typeof part, text: string): string {
  return encrypted.split('.').with(part[name], text).join('.')
}

function randomLocation(): EncryptedAt {
  return { table: randomUUID(), project: randomUUID(), row: randomUUID(), column: randomUUID() }
}
