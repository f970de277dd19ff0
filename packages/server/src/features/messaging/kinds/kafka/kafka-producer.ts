import { OutboundError } from '../../../../kernel/net/index.ts'
import { failureOf } from '../failure-of.ts'
import { partsOf } from '../in-parts.ts'
import type { SendResult } from '../kind.ts'
import { waitFor } from '../poll.ts'
import type { RecordResult } from '../send-records.ts'
import type { CallOptions, KafkaCluster } from './kafka-cluster.ts'
import { type KafkaRecord, partitionOf, recordBatch } from './record-batch.ts'
import { isOfData, isPassing, isStored, KafkaRefusal, resultOf } from './refusal.ts'
import { initProducerId, produce, type TopicMetadata } from './requests.ts'

/** Size of a batch: below `max.message.bytes`, which is 1,048,588 by default. */
const batchBytesMax = 900_000
/** Of a record besides its key and value: headers and lengths. */
const recordBytes = 600
/** How often a batch is sent while the leader of its partition changes. */
const attemptsMax = 4
const firstWaitMs = 200

/** The batches of one partition, in their order. One of them is sent at a time. */
interface Queue {
  partition: number
  batches: KafkaRecord[][]
  attempts: number
  /** Why the last attempt failed. */
  failure: SendResult
}

/**
 * Produces records to a topic. Within one call it sends again what it does not know the result of, with the same id and
 * number, so that a broker does not store it twice (idempotent producer). A call that fails in the end gives up the id.
 */
export class KafkaProducer {
  readonly #cluster: KafkaCluster
  readonly #topic: string
  #metadata: TopicMetadata | undefined
  #producer: { producerId: bigint; producerEpoch: number } | undefined
  /** The number of the next record of each partition. */
  readonly #sequences = new Map<number, number>()
  /** Whether the numbers of a partition are unknown, so that the id is given up after the call. */
  #isSpent = false

  constructor(cluster: KafkaCluster, topic: string) {
    this.#cluster = cluster
    this.#topic = topic
  }

  /**
   * Returns what happened to each record, in their order.
   *
   * @param failed why partitions failed in calls before, so that they get nothing now. Those of this call are added.
   * @throws OutboundError, KafkaRefusal before anything is sent
   */
  async produce(
    records: readonly KafkaRecord[],
    options: CallOptions,
    failed: FailedPartitions = new Map(),
  ): Promise<RecordResult[]> {
    const results: Results = new Map()
    this.#metadata ??= await this.#cluster.topic(options)
    this.#producer ??= await this.#newProducer(options)
    let queues = this.#queuesOf(records)
    for (const { partition, batches } of queues) settleAll(batches, failed.get(partition), results)
    queues = queues.filter(({ partition }) => !failed.has(partition))
    while (queues.length > 0) {
      const waitMs = Math.max(...queues.map(({ attempts }) => (attempts === 0 ? 0 : firstWaitMs * 2 ** (attempts - 1))))
      if (waitMs > 0) await this.#retry(waitMs, options)
      const round = await this.#round(queues, results, options)
      for (const { partition, failure } of round.over) failed.set(partition, failure)
      queues = round.left
    }
    if (this.#isSpent) this.reset()
    return records.map((record) => results.get(record) ?? unsent)
  }

  /** Waits, and asks again for the leaders. What goes wrong here goes wrong in the round that follows, too. */
  async #retry(waitMs: number, options: CallOptions): Promise<void> {
    try {
      await waitFor(waitMs, options.signal)
      this.#metadata = await this.#cluster.topic(options)
    } catch (error) {
      if (!(error instanceof OutboundError) && !(error instanceof KafkaRefusal)) throw error
    }
  }

  #queuesOf(records: readonly KafkaRecord[]): Queue[] {
    const count = this.#metadata?.leaders.size ?? 0
    if (count === 0) throw new KafkaRefusal(5, 'The cluster')
    const byPartition = Map.groupBy(records, ({ key }) => partitionOf(key, count))
    return [...byPartition].map(([partition, of]) => ({
      partition,
      batches: partsOf(
        of.map((record) => ({ record, bytes: (record.value?.length ?? 0) + record.key.length + recordBytes })),
        { bytesMax: batchBytesMax, countMax: 1_000 },
      ).map((part) => part.map(({ record }) => record)),
      attempts: 0,
      failure: { outcome: 'retry' },
    }))
  }

  /** Sends the next batch of each partition. Returns the partitions that are not done, and those that failed. */
  async #round(queues: readonly Queue[], results: Results, options: CallOptions) {
    const byLeader = Map.groupBy(queues, ({ partition }) => this.#metadata?.leaders.get(partition) ?? -1)
    await Promise.all([...byLeader].map(([node, of]) => this.#sendTo(node, of, results, options)))
    const unfinished = queues.filter(({ batches }) => batches.length > 0)
    const isOver = ({ attempts }: Queue) => attempts >= attemptsMax || options.signal.aborted
    const over = unfinished.filter(isOver)
    // Whether the broker has the batch is not known, so its numbers cannot be used again.
    if (over.length > 0) this.#isSpent = true
    for (const { batches, failure } of over) settleAll(batches, failure, results)
    return { over, left: unfinished.filter((queue) => !isOver(queue)) }
  }

  async #sendTo(node: number, queues: readonly Queue[], results: Results, options: CallOptions) {
    try {
      const address = this.#metadata?.brokers.find(({ nodeId }) => nodeId === node)
      if (!address) throw new KafkaRefusal(5, 'The cluster')
      const { connection, produceVersion } = await this.#cluster.leader(address, options)
      const batches = new Map(queues.map((queue) => [queue.partition, this.#batchOf(queue)]))
      const request = produce(this.#topic, batches, { apiVersion: produceVersion, timeoutMs: options.timeoutMs })
      const answers = await connection.request(request)
      for (const queue of queues) this.#settle(queue, answers.get(queue.partition), connection.shown, results)
    } catch (error) {
      const failure = error instanceof KafkaRefusal ? resultOf(error) : failureOf(error)
      for (const queue of queues) {
        queue.failure = failure
        queue.attempts++
      }
    }
  }

  #batchOf({ partition, batches }: Queue): Buffer {
    const { producerId, producerEpoch } = this.#producer ?? { producerId: -1n, producerEpoch: -1 }
    const sequence = producerId < 0n ? -1 : (this.#sequences.get(partition) ?? 0)
    return recordBatch(batches[0] ?? [], { producerId, producerEpoch, sequence })
  }

  #settle(queue: Queue, answer: { error: number; offset: bigint } | undefined, shown: string, results: Results): void {
    const [batch = [], ...rest] = queue.batches
    const code = answer?.error ?? -1
    if (answer && isStored(code)) {
      this.#sequences.set(queue.partition, ((this.#sequences.get(queue.partition) ?? 0) + batch.length) & 0x7fffffff)
      const at = (index: number) => `${this.#topic}/${queue.partition}/${answer.offset + BigInt(index)}`
      for (const [index, one] of batch.entries()) {
        const response = Buffer.from(code === 0 ? at(index) : 'stored before')
        results.set(one, { result: { outcome: 'delivered', response }, isOfRecord: false })
      }
      ;[queue.batches, queue.attempts] = [rest, 0]
      return
    }
    queue.failure = answer
      ? resultOf({ code, shown, message: '' })
      : { outcome: 'retry', error: `${shown} did not confirm the message.` }
    if (isPassing(code)) queue.attempts++
    else if (isOfData(code) && batch.length > 1) queue.batches = [...halvesOf(batch), ...rest]
    else if (isOfData(code)) {
      for (const one of batch) results.set(one, { result: queue.failure, isOfRecord: true })
      queue.batches = rest
    } else queue.attempts = attemptsMax
  }

  /** Gives up the id and what is known of the topic. The next call asks for both. */
  reset(): void {
    this.#metadata = undefined
    this.#producer = undefined
    this.#sequences.clear()
    this.#isSpent = false
  }

  /** A user who may not have an id produces without one, as with brokers before 2.8. */
  async #newProducer(options: CallOptions): Promise<{ producerId: bigint; producerEpoch: number }> {
    const { connection } = await this.#cluster.anyBroker(options)
    const { error, producerId, producerEpoch } = await connection.request(initProducerId())
    if (error === 0) return { producerId, producerEpoch }
    if (error !== notPermitted) throw new KafkaRefusal(error, connection.shown)
    return { producerId: -1n, producerEpoch: -1 }
  }
}

const notPermitted = 31

type Results = Map<KafkaRecord, RecordResult>

/** Why partitions failed, by their number. */
export type FailedPartitions = Map<number, SendResult>

function settleAll(batches: readonly KafkaRecord[][], result: SendResult | undefined, results: Results): void {
  if (result) for (const record of batches.flat()) results.set(record, { result, isOfRecord: false })
}

const unsent: RecordResult = {
  result: { outcome: 'retry', error: 'The message was not sent.' },
  isOfRecord: false,
}

/** A bad record among many is found in few requests. */
function halvesOf<T>(batch: readonly T[]): T[][] {
  const middle = Math.ceil(batch.length / 2)
  return [batch.slice(0, middle), batch.slice(middle)]
}
