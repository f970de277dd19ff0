/**
 * Fields of the Kafka protocol ("Protocol Primitive Types"), in the versions of requests without tagged fields. Every
 * broker from Apache Kafka 2.1 to 4 speaks these.
 */

export const int8 = (value: number) => Buffer.of(value & 0xff)

export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

export function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return bytes
}

export function string(value: string | null): Buffer {
  if (value === null) return int16(-1)
  const bytes = Buffer.from(value)
  return Buffer.concat([int16(bytes.length), bytes])
}

export function bytes(value: Buffer): Buffer {
  return Buffer.concat([int32(value.length), value])
}

export function array<T>(values: readonly T[], write: (value: T) => Buffer): Buffer {
  return Buffer.concat([int32(values.length), ...values.map(write)])
}

/** A signed number in as few bytes as it needs: zigzag, seven bits in a byte, the lowest first. */
const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value)

/** Number of bytes of such a number. */
export function varintSize(value: number): number {
  let size = 1
  for (let rest = zigzag(value); rest > 0x7f; rest = Math.floor(rest / 128)) size++
  return size
}

/** Writes such a number, and returns where it ends. */
export function writeVarint(bytes: Buffer, from: number, value: number): number {
  let [at, rest] = [from, zigzag(value)]
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 0x80
  bytes[at++] = rest
  return at
}

/** The response ends before its fields do, or contains what it cannot. */
export class MalformedResponse extends Error {
  override name = 'MalformedResponse'
}

/** Reads fields one after the other. @throws MalformedResponse */
export class Fields {
  #at = 0
  readonly #bytes: Buffer

  constructor(source: Buffer) {
    this.#bytes = source
  }

  int8 = () => this.#take(1).readInt8()
  int16 = () => this.#take(2).readInt16BE()
  int32 = () => this.#take(4).readInt32BE()
  int64 = () => this.#take(8).readBigInt64BE()

  nullableString(): string | null {
    const length = this.int16()
    return length < 0 ? null : this.#take(length).toString()
  }

  string(): string {
    return this.nullableString() ?? ''
  }

  bytes(): Buffer {
    return this.#take(Math.max(this.int32(), 0))
  }

  /** Each entry has at least one byte, so a response cannot claim more entries than it has bytes. */
  array<T>(read: () => T): T[] {
    const count = this.int32()
    if (count > this.#bytes.length - this.#at) throw new MalformedResponse('too many entries')
    return Array.from({ length: Math.max(count, 0) }, read)
  }

  #take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new MalformedResponse('too short')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }
}
