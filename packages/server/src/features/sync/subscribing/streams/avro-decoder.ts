import type { AvroRecord, AvroType } from './avro-schema.ts'
import { parseAvroSchema } from './avro-schema.ts'
import { expandBitmaps, withoutUnchanged } from './change-header.ts'

/** An event that cannot be decoded. The object is read instead. */
export class EventUndecodable extends Error {
  override name = 'EventUndecodable'
}

/** Decodes the payloads of one schema to JSON values. @throws EventUndecodable */
export type EventDecoder = (payload: Buffer) => Record<string, unknown>

/** Number of values in one event, whatever its size: a few bytes can announce any number of values without a byte. */
const valuesMax = 500_000
const depthMax = 64

/**
 * Compiles the decoder of a schema of change events.
 *
 * @param schema Avro schema, as JSON
 * @throws EventUndecodable for a schema that is not valid, or not of a record
 */
export function compileDecoder(schema: string): EventDecoder {
  const type = recordOf(schema)
  return (payload) => {
    try {
      const event = new AvroReader(payload).whole(type) as Record<string, unknown>
      return withoutUnchanged(expandBitmaps(event, type))
    } catch (error) {
      throw new EventUndecodable('The event is not what its schema says.', { cause: error })
    }
  }
}

function recordOf(schema: string): AvroRecord {
  try {
    const type = parseAvroSchema(schema)
    if (type.kind !== 'record') throw new Error('the schema is not of a record')
    return type
  } catch (error) {
    throw new EventUndecodable('The provider’s schema of an event is not valid.', { cause: error })
  }
}

/**
 * Reads values of a payload. It never reads past the end, and never allocates what the payload only announces. Whole
 * numbers beyond those of JavaScript are texts, and bytes are Base64. A value of a union is the value alone.
 */
class AvroReader {
  readonly #bytes: Buffer
  #at = 0
  #values = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Reads the one value of the payload. */
  whole(type: AvroType): unknown {
    const value = this.#read(type, 0)
    if (this.#at !== this.#bytes.length) throw new Error('bytes are left')
    return value
  }

  #read(type: AvroType, depth: number): unknown {
    if (++this.#values > valuesMax || depth > depthMax) throw new Error('it has too many values')
    switch (type.kind) {
      case 'null':
        return null
      case 'boolean':
        return this.#take(1)[0] !== 0
      case 'int':
      case 'long':
        return this.#long()
      case 'float':
        return finite(this.#take(4).readFloatLE())
      case 'double':
        return finite(this.#take(8).readDoubleLE())
      case 'bytes':
        return this.#take(this.#count()).toString('base64')
      case 'string':
        return this.#take(this.#count()).toString('utf8')
      case 'fixed':
        return this.#take(type.size).toString('base64')
      case 'enum':
        return oneOf(type.symbols, this.#count())
      case 'union':
        return this.#read(oneOf(type.types, this.#count()), depth + 1)
      case 'record':
        return Object.fromEntries(type.fields.map((field) => [field.name, this.#read(field.type, depth + 1)]))
      case 'array':
        return [...this.#items(() => this.#read(type.items, depth + 1))]
      case 'map':
        return Object.fromEntries(
          this.#items(() => [this.#take(this.#count()).toString('utf8'), this.#read(type.items, depth + 1)] as const),
        )
    }
  }

  *#items<T>(read: () => T): Generator<T> {
    for (let count = this.#blockCount(); count > 0; count = this.#blockCount())
      for (let left = count; left > 0; left--) yield read()
  }

  /** Number of items in the next block of a list. A negative one is followed by the size of the block. */
  #blockCount(): number {
    const count = Number(this.#long())
    if (count < 0) this.#long()
    return Math.abs(count)
  }

  #count(): number {
    const count = Number(this.#long())
    if (!Number.isSafeInteger(count) || count < 0) throw new Error('a length is not valid')
    return count
  }

  #take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new Error('it ends too early')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** A whole number: seven bits in each byte, the sign in the lowest bit. */
  #long(): number | string {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#take(1)[0] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) {
        const signed = (value >> 1n) ^ -(value & 1n)
        const number = Number(signed)
        return Number.isSafeInteger(number) ? number : signed.toString()
      }
    }
    throw new Error('a number is too long')
  }
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

function oneOf<T>(values: readonly T[], at: number): T {
  const value = values[at]
  if (value === undefined) throw new Error('a position is not valid')
  return value
}
