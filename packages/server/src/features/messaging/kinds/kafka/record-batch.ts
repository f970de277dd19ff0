import { int8, int16, int32, int64, varint } from './bytes.ts'

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

/** Writes records as a batch ("Record Batch", magic 2). */
export function recordBatch(
  records: readonly KafkaRecord[],
  { producerId, producerEpoch, sequence }: ProducerState,
): Buffer {
  const times = records.map(({ time }) => BigInt(time.getTime()))
  const first = times[0] ?? 0n
  const latest = times.reduce((one, other) => (other > one ? other : one), first)
  const covered = Buffer.concat([
    ...[int16(0), int32(records.length - 1), int64(first), int64(latest)],
    ...[int64(producerId), int16(producerEpoch), int32(sequence), int32(records.length)],
    ...records.map((record, index) => recordOf(record, index, (times[index] ?? first) - first)),
  ])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32c(covered))
  const noLeaderEpoch = int32(-1)
  const afterLength = Buffer.concat([noLeaderEpoch, int8(2), checksum, covered])
  return Buffer.concat([int64(0n), int32(afterLength.length), afterLength])
}

function recordOf({ key, value, headers }: KafkaRecord, offset: number, timeDelta: bigint): Buffer {
  const pairs = Object.entries(headers).flatMap(([name, text]) => [sized(Buffer.from(name)), sized(Buffer.from(text))])
  const content = Buffer.concat([
    ...[int8(0), varint(timeDelta), varint(offset), sized(key), sized(value)],
    ...[varint(pairs.length / 2), ...pairs],
  ])
  return Buffer.concat([varint(content.length), content])
}

const sized = (content: Buffer | null) =>
  content === null ? varint(-1) : Buffer.concat([varint(content.length), content])

/** Castagnoli's polynomial, reversed (RFC 3720, appendix B.4). */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1
  return rest >>> 0
})

/** The checksum of a record batch. Node has CRC-32 with another polynomial only. */
export function crc32c(content: Buffer): number {
  let rest = 0xffffffff
  for (const byte of content) rest = (table[(rest ^ byte) & 0xff] ?? 0) ^ (rest >>> 8)
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
