import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { ProduceAcks, Producer } from '@platformatic/kafka'
import { openForTest } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import { kafka } from '../../packages/server/src/features/messaging/kinds/kafka/index.ts'
import { type BrokerTarget, project, signed } from './broker-target.ts'

const topic = 'bench'
/** Partitions of a topic in the broker of librdkafka. */
const partitions = [0, 1, 2, 3]

/** Starts the broker of librdkafka, which keeps the newest records only and counts all of them. */
export async function startKafka(): Promise<BrokerTarget | string> {
  if (spawnSync('kcat', ['-V']).error) return 'kcat, which contains a broker, is not installed'
  // A producer that gets nothing to send. The log names the port.
  const settings = ['test.mock.num.brokers=1', 'debug=mock'].flatMap((setting) => ['-X', setting])
  const broker = spawn('kcat', ['-P', '-b', 'mock', '-t', topic, ...settings], { stdio: ['pipe', 'ignore', 'pipe'] })
  const { promise: port, resolve, reject } = Promise.withResolvers<string>()
  createInterface(broker.stderr).on('line', (line) => {
    const found = /bootstrap\.servers=127\.0\.0\.1:(\d+)/.exec(line)?.[1]
    if (found !== undefined) resolve(found)
  })
  const ended = once(broker, 'exit')
  ended.then(() => reject(new Error('kcat has ended')), reject)
  const address = `127.0.0.1:${await port}`
  const producer = new Producer<Buffer, Buffer, Buffer, Buffer>({
    ...{ clientId: 'bench', bootstrapBrokers: [address], acks: ProduceAcks.ALL, idempotent: true },
  })
  // Its default is the id 0, which this broker does not know.
  await producer.initIdempotentProducer({ producerId: -1n, producerEpoch: -1 })
  const offsets = async () => {
    const wanted = partitions.flatMap((partition) => ['-t', `${topic}:${partition}:-1`])
    const { stdout } = await promisify(execFile)('kcat', ['-Q', '-b', address, ...wanted])
    return [...stdout.matchAll(/offset (\d+)/g)].reduce((sum, [, offset]) => sum + Number(offset), 0)
  }
  let before = 0
  return {
    maxBatch: kafka.limits.maxBatch,
    open: () => openForTest(kafka, { brokers: address, topic, tls: false }),
    async send(batch) {
      const messages = batch.map(({ id, kind, body }) => {
        const fields = Object.entries({ id, kind, project, ...signed(id) })
        const headers = new Map(fields.map(([name, value]) => [Buffer.from(name), Buffer.from(value)]))
        return { topic, key: Buffer.from(id), value: body, headers }
      })
      await producer.send({ messages })
    },
    arrived: async () => (await offsets()) - before,
    clear: async () => {
      before = await offsets()
    },
    async [Symbol.asyncDispose]() {
      await producer.close()
      broker.stdin.end()
      await ended
    },
  }
}
