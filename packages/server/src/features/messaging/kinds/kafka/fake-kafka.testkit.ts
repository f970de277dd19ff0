import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { crc32c, Reader, readRecordsBatch } from '@platformatic/kafka'
import type { ReceivedMessage } from '../conformance.testkit.ts'
import { array, bytes, Fields, int8, int16, int32, int64, string } from './bytes.ts'

export interface FakeKafkaOptions {
  topic: string
  username: string
  password: string
  partitions?: number
  tls?: { key: string; cert: string }
  /** Maximum size of a batch. */
  batchBytesMax?: number
  /** What metadata names as the leader of every partition. By default, the broker itself. */
  advertised?: { host: string; port: number }
}

/** Codes by which a broker refuses a batch. */
export const produceErrors: Record<string, number> = {
  'lost the topic': 3,
  'permits no records': 29,
  'found the records out of order': 45,
  'has an unknown error': -1,
  'requires a policy': 44,
  'found the checksum wrong': 2,
  'elects a leader': 6,
  'has too few replicas': 19,
  'takes smaller records': 10,
  'takes no such record': 87,
}

/** How a broker may answer any request badly. */
const badAnswers: Record<string, (socket: Socket, correlation: number) => void> = {
  hang: () => undefined,
  'hangs up': (socket) => socket.destroy(),
  'answers with HTML': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n<html>'),
  'answers with half a response': (socket) => socket.end(Buffer.concat([int32(400), int32(1), int32(0)])),
  'answers with a short response': (socket, correlation) =>
    socket.write(Buffer.concat([int32(6), int32(correlation), int16(0)])),
  'answers another request': (socket) => socket.write(Buffer.concat([int32(8), int32(77), int32(0)])),
  'answers without end': (socket) => socket.write(Buffer.concat([int32(2 ** 30), Buffer.alloc(5_000_000)])),
  'answers with too many entries': (socket, correlation) =>
    socket.write(Buffer.concat([int32(10), int32(correlation), int16(0), int32(2 ** 30)])),
}
/** Of these, all that are bad when a broker is asked to store records. */
export const anyTime: readonly string[] = Object.keys(badAnswers).filter((name) => name !== 'hang')
export const atLogin = [
  'is too old',
  'offers no way to log in',
  'refuses the password',
  'forges the proof',
  'has no such topic',
  'has no leader',
]

/**
 * Plays one broker that leads every partition, strictly: a request that is not as documented ends the connection, a
 * batch with a wrong checksum or number is refused. A library that others wrote reads the batches.
 */
export async function startFakeKafka(options: FakeKafkaOptions) {
  const sockets = new Set<Socket>()
  const received: ReceivedMessage[] = []
  const stored: Buffer[] = []
  const records: ProducedRecord[] = []
  const sequences = new Map<string, number>()
  let [behavior, total, producers, requests] = ['accept', 0, 0n, 0]
  let port = 0

  function store(partition: number, batch: Buffer): { error: number; offset: bigint } {
    const checksum = batch.readUInt32BE(17)
    if (checksum !== crc32c(batch.subarray(21))) return { error: 2, offset: -1n }
    const found = readRecordsBatch(Reader.from(batch))
    const values = found.records.map(({ value }) => String(value))
    const isOneOfMany = found.records.length > 1
    if (behavior === 'forgets a partition') return { error: 0, offset: 0n }
    const code = produceErrors[behavior]
    if (code !== undefined) return { error: code, offset: -1n }
    if (behavior === 'elects a leader once' && requests === 0) return { error: 6, offset: -1n }
    if (behavior === 'refuses a partition once' && requests === 0 && partition === 0) return { error: 29, offset: -1n }
    if (batch.length > (options.batchBytesMax ?? Number.POSITIVE_INFINITY)) return { error: 10, offset: -1n }
    if (values.some((value) => value.includes('"invalid"'))) return { error: 87, offset: -1n }
    if (values.some((value) => value.includes('"bad"'))) return { error: 44, offset: -1n }
    if (behavior === 'takes one record' && isOneOfMany) return { error: 10, offset: -1n }
    const producer = `${found.producerId} ${partition}`
    const next = sequences.get(producer) ?? 0
    if (found.producerId >= 0n && found.firstSequence < next) return { error: 46, offset: -1n }
    if (found.producerId >= 0n && found.firstSequence !== next) return { error: 45, offset: -1n }
    sequences.set(producer, next + found.records.length)
    const offset = BigInt(records.filter((one) => one.partition === partition).length)
    for (const { key, value, headers } of found.records) {
      const fields = Object.fromEntries(headers.map(([name, text]) => [String(name), String(text)]))
      stored.push(Buffer.from(value ?? ''))
      if (value !== null) received.push({ id: fields['id'] ?? '', body: String(value), headers: fields })
      const { producerId, firstSequence: sequence } = found
      const content = value === null ? null : String(value)
      records.push({ key: String(key), partition, producerId, sequence, value: content, headers: fields })
    }
    return { error: 0, offset }
  }

  function produce(fields: Fields, version: number): Buffer {
    if (fields.nullableString() !== null || fields.int16() !== -1) throw new Error('not of all replicas')
    fields.int32()
    const topics = fields.array(() => ({
      name: fields.string(),
      partitions: fields.array(() => [fields.int32(), fields.bytes()] as const),
    }))
    if (topics.length !== 1 || topics[0]?.name !== options.topic) throw new Error('another topic')
    const answers = topics[0].partitions.map(([index, batch]) => ({ index, ...store(index, Buffer.from(batch)) }))
    requests++
    const rest = version >= 5 ? [int64(-1n), int64(0n)] : [int64(-1n)]
    const kept = behavior === 'forgets a partition' ? [] : answers
    return Buffer.concat([
      array([options.topic], (name) =>
        Buffer.concat([
          string(name),
          array(kept, ({ index, error, offset }) =>
            Buffer.concat([int32(index), int16(error), int64(offset), ...rest]),
          ),
        ]),
      ),
      int32(0),
    ])
  }

  function topicMetadata(fields: Fields): Buffer {
    const names = fields.array(fields.string.bind(fields))
    if (fields.int8() !== 0) throw new Error('would create the topic')
    const isKnown = names[0] === options.topic && behavior !== 'has no such topic'
    const { host, port: leaderPort } = options.advertised ?? { host: '127.0.0.1', port }
    const leader = behavior === 'has no leader' ? -1 : 5
    const partition = (index: number) =>
      Buffer.concat([int16(0), int32(index), int32(leader), array([5], int32), array([5], int32)])
    const partitions = isKnown ? Array.from({ length: options.partitions ?? 3 }, (_, index) => index) : []
    return Buffer.concat([
      ...[int32(0), array([5], (node) => Buffer.concat([int32(node), string(host), int32(leaderPort), string(null)]))],
      ...[string('cluster'), int32(5)],
      array(names, (name) =>
        Buffer.concat([int16(isKnown ? 0 : 3), string(name), int8(0), array(partitions, partition)]),
      ),
    ])
  }

  function answer(session: Session, apiKey: number, version: number, fields: Fields): Buffer {
    if (apiKey === 18 && version === 0) {
      const produceVersions = behavior === 'is too old' ? [0, 2] : [0, 9]
      const versions = [
        [0, ...produceVersions],
        [3, 0, 12],
        [17, 0, 1],
        [18, 0, 3],
        [22, 0, 4],
        [36, 0, 2],
      ]
      return Buffer.concat([int16(0), array(versions, (one) => Buffer.concat(one.map(int16)))])
    }
    if (apiKey === 17 && version === 1) {
      session.mechanism = fields.string()
      const isOffered = behavior !== 'offers no way to log in'
      return Buffer.concat([int16(isOffered ? 0 : 33), array(isOffered ? [] : ['GSSAPI'], string)])
    }
    if (apiKey === 36 && version === 0) return authenticate(session, fields.bytes().toString())
    if (!session.isLoggedIn) throw new Error('not logged in')
    if (apiKey === 3 && version === 4) return topicMetadata(fields)
    if (apiKey === 22 && version === 0) {
      const error = behavior === 'permits no ids' ? 31 : 0
      return Buffer.concat([
        int32(0),
        int16(error),
        int64(error === 0 ? ++producers : -1n),
        int16(error === 0 ? 0 : -1),
      ])
    }
    if (apiKey === 0 && version >= 3 && version <= 7) return produce(fields, version)
    throw new Error('no such request')
  }

  function authenticate(session: Session, message: string): Buffer {
    const { username, password } = options
    const refused = (text: string) => Buffer.concat([int16(58), string(text), bytes(Buffer.alloc(0))])
    const accepted = (text: string) => Buffer.concat([int16(0), string(null), bytes(Buffer.from(text))])
    if (behavior === 'echo') return refused(`you sent ${password}`)
    if (behavior === 'refuses the password') return refused('Authentication failed')
    if (session.mechanism === 'PLAIN') {
      session.isLoggedIn = message === `\0${username}\0${password}`
      return session.isLoggedIn ? accepted('') : refused('Authentication failed')
    }
    const hash = session.mechanism === 'SCRAM-SHA-512' ? 'sha512' : 'sha256'
    if (session.challenge === undefined) {
      const [, first = '', nonce = ''] = /^n,,(n=[^,]+,r=(.+))$/.exec(message) ?? []
      session.challenge = `r=${nonce}server,s=${Buffer.from('salt-of-tests').toString('base64')},i=4096`
      session.first = first
      return accepted(session.challenge)
    }
    const [, last = '', proof = ''] = /^(c=biws,r=[^,]+),p=(.+)$/.exec(message) ?? []
    const salted = pbkdf2Sync(password, 'salt-of-tests', 4_096, hash === 'sha256' ? 32 : 64, hash)
    const mac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest()
    const all = `${session.first},${session.challenge},${last}`
    const stored = createHash(hash).update(mac(salted, 'Client Key')).digest()
    const signature = mac(stored, all)
    const key = Buffer.from(proof, 'base64').map((byte, at) => byte ^ (signature[at] ?? 0))
    session.isLoggedIn = createHash(hash).update(key).digest().equals(stored)
    if (!session.isLoggedIn || !session.first.startsWith(`n=${username},`)) return refused('Authentication failed')
    const server = mac(mac(salted, 'Server Key'), all)
    return accepted(`v=${(behavior === 'forges the proof' ? signature : server).toString('base64')}`)
  }

  const accept = (socket: Socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    socket.on('error', () => socket.destroy())
    const session: Session = { mechanism: '', isLoggedIn: false, challenge: undefined, first: '' }
    let buffered: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      while (buffered.length >= 4 && buffered.length >= buffered.readInt32BE() + 4) {
        const size = buffered.readInt32BE()
        const fields = new Fields(buffered.subarray(4, size + 4))
        buffered = buffered.subarray(size + 4)
        const [apiKey, version, correlation] = [fields.int16(), fields.int16(), fields.int32()]
        fields.nullableString()
        const bad = badAnswers[behavior]
        if (bad) bad(socket, correlation)
        else if (behavior === 'hangs up after its first answer' && apiKey === 0 && requests > 0) socket.destroy()
        else if (behavior === 'hangs after its first answer' && apiKey === 0 && requests > 0) continue
        // A connection that is open already has no login: it must be opened again.
        else if (behavior === 'echo' && apiKey === 0) socket.destroy()
        else
          try {
            const content = answer(session, apiKey, version, fields)
            const isLost = (behavior === 'loses its first answer' || behavior === 'loses answers') && apiKey === 0
            if (isLost) {
              if (behavior === 'loses its first answer') behavior = 'accept'
              socket.destroy()
            } else socket.write(Buffer.concat([int32(content.length + 4), int32(correlation), content]))
          } catch {
            socket.destroy()
          }
      }
    })
  }
  const server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept)
  server.on('connection', () => total++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  return {
    port,
    received: () => received,
    /** The values of records, byte for byte. */
    values: () => stored,
    records: () => records,
    /** Number of requests to store records that were answered, since the last change of behavior. */
    requests: () => requests,
    behave: (what: string) => {
      ;[behavior, requests] = [what, 0]
    },
    connections: () => ({ open: sockets.size, total }),
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A record as a broker stored it. */
interface ProducedRecord {
  key: string
  partition: number
  producerId: bigint
  /** Of the first record of its batch. */
  sequence: number
  value: string | null
  headers: Record<string, string>
}

/** What a broker knows of a connection. */
interface Session {
  mechanism: string
  isLoggedIn: boolean
  challenge: string | undefined
  first: string
}
