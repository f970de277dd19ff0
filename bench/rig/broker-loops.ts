import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect as connectNats, headers } from '@nats-io/transport-node'
import { connect as connectAmqp } from 'amqplib'
import { Redis } from 'ioredis'
import { openForTest } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
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
import { type BrokerTarget, project, signed, timestamp } from './broker-target.ts'
import { clouds } from './cloud-loops.ts'
import { startKafka } from './kafka-loop.ts'

/** Starts each with its client. Returns what is missing on this machine in its place. */
export const brokers: Record<string, () => Promise<BrokerTarget | string>> = {
  'redis-stream': startRedis,
  rabbitmq: startRabbitmq,
  nats: startNats,
  kafka: startKafka,
  ...clouds,
}

async function startRedis(): Promise<BrokerTarget | string> {
  if (!hasRedisServer()) return 'redis-server is not installed'
  const server = await startRedisServer()
  const client = new Redis({ port: server.port })
  const stream = 'bench'
  return {
    maxBatch: redisStream.limits.maxBatch,
    open: () => openForTest(redisStream, { url: `redis://127.0.0.1:${server.port}`, stream }),
    async send(batch) {
      const pipeline = client.pipeline()
      for (const { id, kind, body } of batch) {
        const fields = Object.entries({ id, kind, project, ...signed(id) }).flat()
        pipeline.xadd(stream, '*', ...fields, 'body', body)
      }
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
    },
    arrived: () => client.xlen(stream),
    clear: async () => void (await client.del(stream)),
    async [Symbol.asyncDispose]() {
      client.disconnect()
      await server.stop()
    },
  }
}

async function startRabbitmq(): Promise<BrokerTarget | string> {
  if (!(await hasServerAt(5672, 'rabbitmq'))) return 'no server listens on port 5672'
  const model = await connectAmqp('amqp://guest:guest@127.0.0.1:5672')
  const channel = await model.createConfirmChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  const exchange = `bench-${queue}`
  await channel.assertExchange(exchange, 'fanout', { durable: false, autoDelete: true })
  await channel.bindQueue(queue, exchange, '')
  return {
    maxBatch: rabbitmq.limits.maxBatch,
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
    arrived: async () => (await channel.checkQueue(queue)).messageCount,
    clear: async () => void (await channel.purgeQueue(queue)),
    async [Symbol.asyncDispose]() {
      await model.close()
    },
  }
}

async function startNats(): Promise<BrokerTarget | string> {
  if (!hasNatsServer()) return 'nats-server is not installed'
  const server = await startNatsServer()
  const connection = await connectNats({ port: server.port })
  const manager = await jetstreamManager(connection)
  await manager.streams.add({ name: 'bench', subjects: ['bench.>'] })
  const client = jetstream(connection)
  return {
    maxBatch: nats.limits.maxBatch,
    open: () => openForTest(nats, { serverUrl: `nats://127.0.0.1:${server.port}`, subject: 'bench' }),
    async send(batch) {
      const published = batch.map(({ id, kind, body }) => {
        const fields = headers()
        for (const [name, value] of Object.entries({ kind, project, ...signed(id) })) fields.set(name, value)
        return client.publish('bench.plain', body, { msgID: id, headers: fields })
      })
      await Promise.all(published)
    },
    arrived: async () => (await manager.streams.info('bench')).state.messages,
    clear: async () => void (await manager.streams.purge('bench')),
    async [Symbol.asyncDispose]() {
      await connection.close()
      await server.stop()
    },
  }
}
