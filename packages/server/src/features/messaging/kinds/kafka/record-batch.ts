import { varintSize, writeVarint } from './bytes.ts'

export interface KafkaRecord {
  key: Buffer
  /** Null removes the key from a compacted topic. */
  value: Buffer | null
  headers: Readonly<Record<string, string>>
  /** When the message was created. */
  time: Date
}

/** Who produces, and the number of the first record: a broker accepts each number once, and in order. */
export interface ProducerState {
  producerId: bigint
  producerEpoch: number
  sequence: number
}

/** Size of the fields before the records, and where those begin that the checksum covers. */
const headBytes = 61
const coveredFrom = 21

/**
 * Writes records as a batch ("Record Batch", magic 2). Its size is computed first, so that each value is copied once:
 * values are up to hundreds of kilobytes.
 */
export function recordBatch(
  records: readonly KafkaRecord[],
  { producerId, producerEpoch, sequence }: ProducerState,
): Buffer {
  const first = records[0]?.time.getTime() ?? 0
  const latest = records.reduce((time, record) => Math.max(time, record.time.getTime()), first)
  const sized = records.map((record, offset) => sizedRecord(record, offset, record.time.getTime() - first))
  const length = sized.reduce((sum, { bytes }) => sum + varintSize(bytes) + bytes, headBytes)
  const batch = Buffer.allocUnsafe(length)
  batch.writeBigInt64BE(0n, 0)
  batch.writeInt32BE(length - 12, 8)
  batch.writeInt32BE(-1, 12)
  batch.writeInt8(2, 16)
  batch.writeInt16BE(0, coveredFrom)
  batch.writeInt32BE(records.length - 1, 23)
  batch.writeBigInt64BE(BigInt(first), 27)
  batch.writeBigInt64BE(BigInt(latest), 35)
  batch.writeBigInt64BE(producerId, 43)
  batch.writeInt16BE(producerEpoch, 51)
  batch.writeInt32BE(sequence, 53)
  batch.writeInt32BE(records.length, 57)
  const end = sized.reduce((at, record) => writeRecord(batch, at, record), headBytes)
  // What was not written would be memory of something else.
  if (end !== length) throw new Error('a record batch has another size than computed')
  batch.writeUInt32BE(crc32c(batch.subarray(coveredFrom)), 17)
  return batch
}

interface SizedRecord {
  record: KafkaRecord
  /** Its position in the batch, and how much later than the first one it was created, in milliseconds. */
  offset: number
  timeDelta: number
  headers: [name: string, text: string][]
  /** Size of the record without the length before it. */
  bytes: number
}

const sizeOf = (bytes: number) => varintSize(bytes) + bytes
/** The length of no value. */
const noLength = -1

function sizedRecord(record: KafkaRecord, offset: number, timeDelta: number): SizedRecord {
  const headers = Object.entries(record.headers)
  let bytes = 1 + varintSize(timeDelta) + varintSize(offset)
  bytes += sizeOf(record.key.length) + varintSize(headers.length)
  bytes += record.value === null ? varintSize(noLength) : sizeOf(record.value.length)
  for (const [name, text] of headers) bytes += sizeOf(Buffer.byteLength(name)) + sizeOf(Buffer.byteLength(text))
  return { record, offset, timeDelta, headers, bytes }
}

/** Returns where the record ends. */
function writeRecord(batch: Buffer, from: number, { record, offset, timeDelta, headers, bytes }: SizedRecord): number {
  let at = writeVarint(batch, from, bytes)
  at = batch.writeInt8(0, at)
  at = writeVarint(batch, at, timeDelta)
  at = writeVarint(batch, at, offset)
  for (const content of [record.key, record.value]) {
    at = writeVarint(batch, at, content?.length ?? noLength)
    at += content?.copy(batch, at) ?? 0
  }
  at = writeVarint(batch, at, headers.length)
  for (const text of headers.flat()) {
    at = writeVarint(batch, at, Buffer.byteLength(text))
    at += batch.write(text, at)
  }
  return at
}

/**
 * Tables for eight bytes at a time, of Castagnoli's polynomial, reversed (RFC 3720, appendix B.4). In each, a byte has
 * one more byte after it than in the one before.
 */
const tables = new Uint32Array(8 * 256)
for (let byte = 0; byte < 256; byte++) {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1
  tables[byte] = rest
}
for (let at = 256; at < tables.length; at++) {
  const before = tables[at - 256] ?? 0
  tables[at] = (before >>> 8) ^ (tables[before & 0xff] ?? 0)
}

/** The checksum of a record batch. Node has CRC-32 with another polynomial only. */
export function crc32c(content: Buffer): number {
  const of = (table: number, byte: number) => tables[table * 256 + byte] ?? 0
  const byteAt = (index: number) => content[index] ?? 0
  let rest = 0xffffffff
  let at = 0
  for (; at + 8 <= content.length; at += 8) {
    rest ^= byteAt(at) | (byteAt(at + 1) << 8) | (byteAt(at + 2) << 16) | (byteAt(at + 3) << 24)
    const former = of(7, rest & 0xff) ^ of(6, (rest >>> 8) & 0xff) ^ of(5, (rest >>> 16) & 0xff) ^ of(4, rest >>> 24)
    const latter = of(3, byteAt(at + 4)) ^ of(2, byteAt(at + 5)) ^ of(1, byteAt(at + 6)) ^ of(0, byteAt(at + 7))
    rest = former ^ latter
  }
  for (; at < content.length; at++) rest = of(0, (rest ^ byteAt(at)) & 0xff) ^ (rest >>> 8)
  return (rest ^ 0xffffffff) >>> 0
}

/** The partition of a key, as the producer of Apache Kafka chooses it: MurmurHash2 of the key. */
export function partitionOf(key: Buffer, partitionCount: number): number {
  return (murmur2(key) & 0x7fffffff) % partitionCount
}

/** MurmurHash2 with the seed of Apache Kafka. */
export function murmur2(key: Buffer): number {
  const factor = 0x5bd1e995
  let hash = 0x9747b28c ^ key.length
  let at = 0
  for (; at + 4 <= key.length; at += 4) {
    let part = Math.imul(key.readInt32LE(at), factor)
    part = Math.imul(part ^ (part >>> 24), factor)
    hash = Math.imul(hash, factor) ^ part
  }
  const rest = key.subarray(at)
  if (rest.length > 0) hash = Math.imul(hash ^ rest.readUIntLE(0, rest.length), factor)
  hash = Math.imul(hash ^ (hash >>> 13), factor)
  return hash ^ (hash >>> 15)
}
