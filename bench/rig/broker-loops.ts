import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect as connectNats, headers } from '@nats-io/transport-node'
import { connect as connectAmqp } from 'amqplib'
import { Redis } from 'ioredis'
import { openForTest } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import type { OutgoingMessage } from '../../packages/server/src/features/messaging/kinds/kind.ts'
import { nats } from '../../packages/server/src/features/messaging/kinds/nats/index.ts'
import {
  hasNatsServer,
  startNatsServer,
} from '../../packages/server/src/features/messaging/kinds/nats/nats-server.testkit.ts'
import { rabbitmq } from '../../packages/server/src/features/messaging/kinds/rabbitmq/index.ts'
import { redisStream } from '../../packages/server/src/features/messaging/kinds/redis-stream/index.ts'
import {
  hasRedisServer,
  startRedisServer,
} from '../../packages/server/src/features/messaging/kinds/redis-stream/redis-server.testkit.ts'
import { hasServerAt } from '../../packages/server/src/features/messaging/kinds/server-at.testkit.ts'
import { newId } from '../../packages/server/src/kernel/db/index.ts'

/** A server that messages are sent to, and the loop that a program without Mortise would send them with. */
export interface BrokerTarget extends AsyncDisposable {
  name: string
  /** Opens a sender of the kind. */
  open(): ReturnType<typeof openForTest>
  /** Sends messages together by the usual client, as a sender does. Resolves when all are confirmed. */
  send(batch: readonly OutgoingMessage[]): Promise<void>
  /** Removes what was sent. */
  clear(): Promise<void>
}

/** What a sender adds to each message. Nothing is signed: the signature is as long as a real one. */
const project = newId()
const timestamp = '1800000000'
const signature = `v1,${Buffer.alloc(32).toString('base64')}`
const signed = (id: string) => ({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature })

/** Starts what this machine has, one after the other. */
export const brokers: Record<string, () => Promise<BrokerTarget | undefined>> = {
  'redis-stream': startRedis,
  rabbitmq: startRabbitmq,
  nats: startNats,
}

async function startRedis(): Promise<BrokerTarget | undefined> {
  if (!hasRedisServer()) return undefined
  const server = await startRedisServer()
  const client = new Redis({ port: server.port })
  const stream = 'bench'
  return {
    name: 'redis-stream',
    open: () => openForTest(redisStream, { url: `redis://127.0.0.1:${server.port}`, stream }),
    async send(batch) {
      const pipeline = client.pipeline()
      for (const { id, kind, body } of batch) {
        const fields = Object.entries({ id, kind, project, ...signed(id) }).flat()
        pipeline.xadd(stream, '*', ...fields, 'body', body)
      }
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
    },
    clear: async () => void (await client.del(stream)),
    async [Symbol.asyncDispose]() {
      client.disconnect()
      await server.stop()
    },
  }
}

async function startRabbitmq(): Promise<BrokerTarget | undefined> {
  if (!(await hasServerAt(5672, 'rabbitmq'))) return undefined
  const model = await connectAmqp('amqp://guest:guest@127.0.0.1:5672')
  const channel = await model.createConfirmChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  const exchange = `bench-${queue}`
  await channel.assertExchange(exchange, 'fanout', { durable: false, autoDelete: true })
  await channel.bindQueue(queue, exchange, '')
  return {
    name: 'rabbitmq',
    open: () =>
      openForTest(rabbitmq, { serverUrl: 'amqp://127.0.0.1:5672', exchange, username: 'guest', password: 'guest' }),
    async send(batch) {
      for (const { id: messageId, kind: type, body } of batch)
        channel.publish(exchange, '', body, {
          ...{ messageId, mandatory: true, persistent: true, contentType: 'application/json', appId: 'bench' },
          ...{ type, timestamp: Number(timestamp), headers: { kind: type, project, ...signed(messageId) } },
        })
      await channel.waitForConfirms()
    },
    clear: async () => void (await channel.purgeQueue(queue)),
    async [Symbol.asyncDispose]() {
      await model.close()
    },
  }
}

async function startNats(): Promise<BrokerTarget | undefined> {
  if (!hasNatsServer()) return undefined
  const server = await startNatsServer()
  const connection = await connectNats({ port: server.port })
  const manager = await jetstreamManager(connection)
  await manager.streams.add({ name: 'bench', subjects: ['bench.>'] })
  const client = jetstream(connection)
  return {
    name: 'nats',
    open: () => openForTest(nats, { serverUrl: `nats://127.0.0.1:${server.port}`, subject: 'bench' }),
    async send(batch) {
      const published = batch.map(({ id, kind, body }) => {
        const fields = headers()
        for (const [name, value] of Object.entries({ kind, project, ...signed(id) })) fields.set(name, value)
        return client.publish('bench.plain', body, { msgID: id, headers: fields })
      })
      await Promise.all(published)
    },
    clear: async () => void (await manager.streams.purge('bench')),
    async [Symbol.asyncDispose]() {
      await connection.close()
      await server.stop()
    },
  }
}
