/** The parts of AMQP 0-9-1 that a server needs to take publications. Section numbers are of the specification. */

export const u16 = (value: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
export const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
export const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}
/** A short string (4.2.5.3). */
export const text = (value: string) => Buffer.concat([Buffer.of(Buffer.byteLength(value)), Buffer.from(value)])

const frameEnd = 0xce
const frame = (type: number, channel: number, payload: Buffer) =>
  Buffer.concat([Buffer.of(type), u16(channel), u32(payload.length), payload, Buffer.of(frameEnd)])

export function methodFrame(channel: number, classId: number, methodId: number, fields: Buffer[]): Buffer {
  return frame(1, channel, Buffer.concat([u16(classId), u16(methodId), ...fields]))
}

export function headerFrame(
  channel: number,
  size: number,
  { messageId, headers }: { messageId: string; headers: Record<string, string> },
): Buffer {
  const pairs = Object.entries(headers).map(([name, value]) => {
    const bytes = Buffer.from(value)
    return Buffer.concat([text(name), Buffer.from('S'), u32(bytes.length), bytes])
  })
  const table = Buffer.concat(pairs)
  const flags = u16(2 ** 13 + 2 ** 7)
  return frame(
    2,
    channel,
    Buffer.concat([u16(60), u16(0), u64(BigInt(size)), flags, u32(table.length), table, text(messageId)]),
  )
}

export function bodyFrame(channel: number, chunk: Buffer): Buffer {
  return frame(3, channel, chunk)
}

/** Takes a whole frame (4.2.3) from what has arrived. */
export function takeFrame(bytes: Buffer): { type: number; channel: number; payload: Buffer; rest: Buffer } | undefined {
  if (bytes.length < 8) return undefined
  const size = bytes.readUInt32BE(3)
  if (bytes.length < size + 8) return undefined
  if (bytes[size + 7] !== frameEnd) throw new Error('no end of frame')
  const payload = bytes.subarray(7, size + 7)
  return { type: bytes.readUInt8(0), channel: bytes.readUInt16BE(1), payload, rest: bytes.subarray(size + 8) }
}

/** Reads fields one after the other. */
export class AmqpReader {
  #at = 0
  readonly #bytes: Buffer
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }
  #take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new Error('too short')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }
  isAtEnd = () => this.#at === this.#bytes.length
  u8 = () => this.#take(1).readUInt8()
  u16 = () => this.#take(2).readUInt16BE()
  u64 = () => this.#take(8).readBigUInt64BE()
  short = () => this.#take(this.u8()).toString()
  long = () => this.#take(this.#take(4).readUInt32BE())
  /** A table (4.2.5.5): its texts; other values are left out. */
  table(): Record<string, string> {
    const fields = new AmqpReader(this.long())
    const found: Record<string, string> = {}
    while (!fields.isAtEnd()) {
      const name = fields.short()
      const type = String.fromCharCode(fields.u8())
      if (type === 'S') found[name] = fields.long().toString()
      else if (type === 'F') fields.table()
      else if (type === 't') fields.u8()
      else throw new Error(`a value of type ${type}`)
    }
    return found
  }
}

/** Reads the properties of a message (4.2.6.1): one bit says whether each is there. */
export function readProperties(reader: AmqpReader) {
  const flags = reader.u16()
  const has = (bit: number) => (flags & (2 ** bit)) !== 0
  const short = (bit: number) => (has(bit) ? reader.short() : '')
  const contentType = short(15)
  const encoding = short(14)
  const headers = has(13) ? reader.table() : {}
  const deliveryMode = has(12) ? reader.u8() : 0
  const priority = has(11) ? reader.u8() : 0
  const others = [short(10), short(9), short(8)]
  const messageId = short(7)
  const timestamp = has(6) ? reader.u64() : 0n
  const [type, user, app] = [short(5), short(4), short(3)]
  if (encoding !== '' || priority !== 0 || others.some((other) => other !== '') || user !== '')
    throw new Error('a property that is not sent')
  return { contentType, headers, deliveryMode, messageId, timestamp, type, app }
}
