import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import {
  hasRedisServer,
  startRedisServer,
} from '../../packages/server/src/features/messaging/kinds/redis-stream/redis-server.testkit.ts'
import { newId } from '../../packages/server/src/kernel/db/index.ts'
import { quantile, rounded } from '../measure/statistics.ts'
import type { Receiver } from './bench-crm.ts'
import { startBenchServer } from './bench-database.ts'
import { type Part, startPart } from './part.ts'
import { type Service, startService } from './service.ts'

/** How long after the last message all must have arrived. */
const patienceMs = 30_000
const tickMs = 100
/** One in so many hangs. */
const hangingEvery = 10

interface Ports {
  answering: number
  hanging: number
}

/** A kind as a destination has it, with its number. Hanging ones are at a port that never answers. */
type Kind = (number: number, port: number) => Receiver

const kinds: Record<string, Kind> = {
  webhook: (number, port) => ({ type: 'webhook', metadata: { url: `http://127.0.0.1:${port}/hooks/${number}` } }),
  s3: (number, port) => ({
    type: 's3',
    metadata: {
      ...{ bucket: `${number}`.padStart(5, '0'), region: 'eu-central-1' },
      endpointUrl: `http://127.0.0.1:${port}/objects`,
    },
    secrets: { awsKeyId: 'AKIAIOSFODNN7EXAMPLE', awsSecretKey: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12' },
  }),
  slack: (number, port) => ({ type: 'slack', metadata: { url: `http://127.0.0.1:${port}/slack/${number}` } }),
}
const redisKind: Kind = (number, port) => ({
  type: 'redis-stream',
  metadata: { url: `redis://127.0.0.1:${port}`, stream: `bench:${number}` },
})

export interface MixedLag {
  destinations: number
  hanging: number
  kinds: string[]
  quiet: { p50Ms: number; p99Ms: number }
  whileHanging: { p50Ms: number; p99Ms: number }
}

/**
 * Measures the delivery lag of destinations of several kinds, from a message until its arrival, first while the hanging
 * tenth gets no messages, and then while it gets as many as the others. Messages are inserted evenly over a window,
 * without a job: the poll for due messages finds them, up to a second later.
 */
export async function lagOfMixed(
  folder: string,
  { count, windowMs, messagesEach }: { count: number; windowMs: number; messagesEach: number },
): Promise<MixedLag> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startBenchServer(folder))
  const database = await server.database('mixed')
  const receivers = stack.use(await startPart('./mixed-receivers.ts'))
  const redisServer = hasRedisServer() ? await startRedisServer() : undefined
  if (redisServer) stack.defer(() => redisServer.stop())
  const redis = redisServer && new Redis({ port: redisServer.port })
  if (redis) stack.defer(() => redis.disconnect())
  const service = stack.use(await startService(folder, database.env))
  const ports = await receivers.ask<Ports>('ports')
  const used = { ...kinds, ...(redis && { 'redis-stream': redisKind }) }
  await createAll(service, {
    count,
    used,
    portOf: (kind) => (kind === 'redis-stream' ? redisServer?.port : undefined),
    ports,
  })
  const client = new pg.Client({ ...database.superuser, options: '-c search_path=mortise' })
  await client.connect()
  stack.defer(() => client.end())
  const answering = Array.from({ length: count }, (_, number) => number).filter((number) => !isHanging(number))
  const everyone = Array.from({ length: count }, (_, number) => number)
  const phase = (numbers: number[]) => lagOf(client, { receivers, redis, answering, numbers, windowMs, messagesEach })
  await phase(answering)
  return {
    destinations: count,
    hanging: count - answering.length,
    kinds: Object.keys(used),
    quiet: await phase(answering),
    whileHanging: await phase(everyone),
  }
}

function isHanging(number: number): boolean {
  // Of every ten, another one each time, so that every kind has some.
  return Math.floor(number / hangingEvery) % hangingEvery === number % hangingEvery
}

interface Creation {
  count: number
  used: Record<string, Kind>
  ports: Ports
  /** The port of a kind with a server of its own. */
  portOf(kind: string): number | undefined
}

async function createAll(service: Service, { count, used, ports, portOf }: Creation): Promise<void> {
  const all = Object.entries(used)
  for (let number = 0; number < count; number++) {
    const [kind, make] = all[number % all.length] ?? []
    if (kind === undefined || make === undefined) throw new Error('there are no kinds')
    const port = isHanging(number) ? ports.hanging : (portOf(kind) ?? ports.answering)
    await service.call('POST', '/destinations', { name: nameOf(number), ...make(number, port) })
  }
}

const nameOf = (number: number) => `mixed-${number}`

interface Phase {
  receivers: Part
  redis: Redis | undefined
  /** Destinations whose lag counts. */
  answering: number[]
  /** Destinations that get messages. */
  numbers: number[]
  windowMs: number
  messagesEach: number
}

/** Sends messages to each destination over a window, and returns how long those of the answering ones took. */
async function lagOf(
  client: pg.Client,
  { receivers, redis, answering, numbers, windowMs, messagesEach }: Phase,
): Promise<{ p50Ms: number; p99Ms: number }> {
  await receivers.ask('clear')
  await redis?.flushall()
  const sent = new Map<number, number[]>(numbers.map((number) => [number, []]))
  const queue = Array.from({ length: messagesEach }, () => shuffled(numbers)).flat()
  const began = performance.now()
  for (let at = 0; at < queue.length; ) {
    const due = Math.ceil(((performance.now() - began) / windowMs) * queue.length)
    const part = queue.slice(at, due)
    at += part.length
    if (part.length > 0) await insert(client, part, sent)
    await delay(tickMs)
  }
  const until = performance.now() + patienceMs
  let arrived = await arrivals(receivers, redis, answering)
  const missing = () => answering.filter((number) => (arrived.get(number)?.length ?? 0) < messagesEach).length
  while (missing() > 0) {
    if (performance.now() > until) throw new Error(`messages of ${missing()} destinations have not arrived`)
    await delay(tickMs)
    arrived = await arrivals(receivers, redis, answering)
  }
  const lags = answering
    .flatMap((number) => (sent.get(number) ?? []).map((time, n) => (arrived.get(number)?.[n] ?? Number.NaN) - time))
    .toSorted((a, b) => a - b)
  return { p50Ms: rounded(quantile(lags, 0.5), 0), p99Ms: rounded(quantile(lags, 0.99), 0) }
}

async function insert(client: pg.Client, numbers: readonly number[], sent: Map<number, number[]>): Promise<void> {
  for (const number of numbers) sent.get(number)?.push(Date.now())
  const result = [{ id: '1', fields: { email: 'ana@customer.example', notes: 'n'.repeat(150) } }]
  const message = { action: 'read', provider: 'benchCrm', groupRef: 'customer', objectName: 'contacts' }
  const payload = Buffer.from(JSON.stringify({ ...message, resultInfo: { type: 'inline', numRecords: 1 }, result }))
  await client.query(
    `insert into messages (project_id, id, destination_id, destination_name, kind, installation_id, payload, payload_bytes, has_result, order_at)
     select d.project_id, new.id, d.id, d.name, 'read', new.id, $3::bytea, length($3::bytea), false, now()
       from unnest($1::uuid[], $2::text[]) new (id, name) join destinations d on d.name = new.name`,
    [numbers.map(() => newId()), numbers.map(nameOf), payload],
  )
}

/** When messages arrived, by destination. A Redis gives each entry an id with its time. */
async function arrivals(receivers: Part, redis: Redis | undefined, numbers: readonly number[]) {
  const byPath = await receivers.ask<Map<string, number[]>>('arrivals')
  const found = new Map([...byPath].map(([number, times]) => [Number(number), times]))
  if (redis === undefined) return found
  const others = numbers.filter((number) => !found.has(number))
  const pipeline = redis.pipeline()
  for (const number of others) pipeline.xrange(`bench:${number}`, '-', '+')
  const replies = (await pipeline.exec()) ?? []
  for (const [index, number] of others.entries()) {
    const entries = (replies[index]?.[1] ?? []) as [id: string, fields: string[]][]
    if (entries.length > 0)
      found.set(
        number,
        entries.map(([id]) => Number(id.split('-')[0])),
      )
  }
  return found
}

function shuffled(numbers: readonly number[]): number[] {
  return numbers
    .map((number) => ({ number, order: Math.random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ number }) => number)
}
