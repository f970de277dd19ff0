import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import {
  createEnvelope,
  createKeyring,
  type Envelope,
  SealBroken,
  type SealedAt,
  UnknownSealKey,
} from '../../packages/server/src/kernel/encryption/index.ts'
import type { Attack } from './attack.ts'

/** Changes encrypted values in every way that a hand in the database could, and opens them. */

const roundTrips = { short: 500, long: 10_000 }
const plaintextBytesMax = 5_000
const tagBytes = 16
/** Of an ASCII character. */
const bits = [0, 1, 2, 3, 4, 5, 6]
/** Parts of a sealed value, in its order. */
const part = { version: 0, keyId: 1, wrapped: 2, nonce: 3, box: 4 }

/** A value as it is opened: by whom, and for which row and column. */
interface Attempt {
  what: string
  envelope: Envelope
  sealed: string
  at: SealedAt
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
    const sealed = envelope.seal(secret, at)
    const neighbor = { ...at, row: randomUUID() }
    const other = envelope.seal('another secret, of the next row', neighbor)

    const attempts: Attempt[] = [
      ...changedBytes(sealed).map((mutated) => ({ what: 'a changed value', envelope, sealed: mutated, at })),
      ...cut(sealed).map((mutated) => ({ what: 'a cut value', envelope, sealed: mutated, at })),
      ...shortTags(sealed).map((mutated) => ({ what: 'a short tag', envelope, sealed: mutated, at })),
      ...mixed(sealed, other).map((mutated) => ({ what: 'parts of two values', envelope, sealed: mutated, at })),
      ...elsewhere(at).map((location) => ({ what: 'a moved value', envelope, sealed, at: location })),
      { what: 'the value of the next row', envelope, sealed: other, at },
      { what: 'a value in the next row', envelope, sealed, at: neighbor },
      { what: 'a value of a key that is not held', envelope: former, sealed, at },
      {
        what: 'the id of the older key',
        envelope,
        sealed: withPart(sealed, 'keyId', former.keyIdOf(former.seal('', at))),
        at,
      },
      { what: 'the id of no key', envelope, sealed: withPart(sealed, 'keyId', '00000000'), at },
      { what: 'another version', envelope, sealed: withPart(sealed, 'version', 'v2'), at },
    ]
    let opened = 0
    for (const { what, envelope: by, sealed: text, at: location } of attempts) {
      const result = outcomeOf(by, text, location)
      if (result === 'refused') continue
      opened++
      faults.push(`${what} is ${result}.`)
    }
    // The attack found nothing only if what it changed opens unchanged.
    if (envelope.open(sealed, at).toString() !== secret) faults.push('the unchanged value does not open.')

    const trips = long ? roundTrips.long : roundTrips.short
    let lost = 0
    for (let done = 0; done < trips; done++) {
      const bytes = randomBytes(randomInt(plaintextBytesMax))
      const location = randomLocation()
      // Half of them under the older key, as a rotation finds them.
      const text = (done % 2 === 0 ? envelope : former).seal(bytes, location)
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

function outcomeOf(envelope: Envelope, sealed: string, at: SealedAt): 'refused' | 'opened' | 'an unknown error' {
  try {
    envelope.open(sealed, at)
    return 'opened'
  } catch (error) {
    return error instanceof SealBroken || error instanceof UnknownSealKey ? 'refused' : 'an unknown error'
  }
}

/** Each bit of the text that is stored, and one of each byte of the decoded parts. */
function changedBytes(sealed: string): string[] {
  const text = Buffer.from(sealed)
  const ofText = Array.from(text, (_, index) => bits.map((bit) => flipped(text, index, bit).toString())).flat()
  const ofParts = (['wrapped', 'nonce', 'box'] as const).flatMap((name) => {
    const bytes = bytesOf(sealed, name)
    return Array.from(bytes, (_, index) => withPart(sealed, name, flipped(bytes, index, index % 8).toString('base64')))
  })
  return [...ofText, ...ofParts]
}

function flipped(bytes: Buffer, index: number, bit: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[index] = (copy[index] ?? 0) ^ (1 << bit)
  return copy
}

function cut(sealed: string): string[] {
  return Array.from({ length: sealed.length }, (_, length) => [
    sealed.slice(0, length),
    sealed.slice(length + 1),
  ]).flat()
}

/** Node's own decipher takes a tag of four bytes, which is guessed in 2^32 attempts. */
function shortTags(sealed: string): string[] {
  const box = bytesOf(sealed, 'box')
  const lengths = Array.from({ length: tagBytes }, (_, length) => length)
  return lengths.map((length) =>
    withPart(sealed, 'box', box.subarray(0, box.length - tagBytes + length).toString('base64')),
  )
}

function mixed(one: string, other: string): string[] {
  return (['wrapped', 'nonce', 'box'] as const).map((name) => withPart(one, name, other.split('.')[part[name]] ?? ''))
}

function elsewhere(at: SealedAt): SealedAt[] {
  const shifted = { ...at, table: `${at.table}|${at.project}`, project: '' }
  return [...Object.keys(at).map((name) => ({ ...at, [name]: randomUUID() })), shifted]
}

function bytesOf(sealed: string, name: keyof typeof part): Buffer {
  return Buffer.from(sealed.split('.')[part[name]] ?? '', 'base64')
}

function withPart(sealed: string, name: keyof typeof part, text: string): string {
  return sealed.split('.').with(part[name], text).join('.')
}

function randomLocation(): SealedAt {
  return { table: randomUUID(), project: randomUUID(), row: randomUUID(), column: randomUUID() }
}
