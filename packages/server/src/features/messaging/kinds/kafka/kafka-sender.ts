import { OutboundError } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import type { OutgoingMessage, Sender, SenderServices, SendOptions, SendResult } from '../kind.ts'
import type { RecordMessage } from '../record-messages.ts'
import { type KeyedMessage, type RecordResult, sendRecords } from '../send-records.ts'
import { openTemplate } from '../template.ts'
import { avroValues } from './avro/avro-values.ts'
import { KafkaCluster } from './kafka-cluster.ts'
import { type FailedPartitions, KafkaProducer } from './kafka-producer.ts'
import { kafkaRecordsOf } from './kafka-records.ts'
import { keyOf } from './key-of.ts'
import { KafkaRefusal, resultOf } from './refusal.ts'
import { isAvro, type KafkaSettings } from './settings.ts'

/**
 * Produces messages, or their records one by one, to the brokers that lead their partitions. Connections stay open
 * until an error or `close`.
 */
export function openKafka(settings: KafkaSettings, services: SenderServices): Sender {
  const cluster = new KafkaCluster(settings, services)
  const producer = new KafkaProducer(cluster, settings.topic)
  const template = openTemplate(settings.partitionKeyTemplate)
  const shown = settings.brokers

  const keyOfMessage = (message: OutgoingMessage | RecordMessage) => keyOf(template, message)
  const valuesOf = async (batch: readonly OutgoingMessage[], options: SendOptions) =>
    isAvro(settings)
      ? avroValues(settings, services, { batch, options })
      : new Map<OutgoingMessage, Buffer | SendResult>(batch.map((message) => [message, message.body]))

  async function sendAll(
    batch: readonly KeyedMessage[],
    options: SendOptions,
    failed?: FailedPartitions,
  ): Promise<RecordResult[]> {
    const deadline = startDeadline(shown, options)
    deadline.ends(cluster)
    try {
      const messages = batch.map(({ message }) => message)
      const values = await valuesOf(messages, { ...options, signal: deadline.signal })
      const records = batch.map(({ message, key }) => {
        const value = values.get(message)
        return Buffer.isBuffer(value) ? kafkaRecordsOf({ message, value, key }, settings, services, options.time) : []
      })
      const all = records.flat()
      const callOptions = { timeoutMs: options.timeoutMs, signal: deadline.signal }
      const produced = all.length === 0 ? [] : await producer.produce(all, callOptions, failed)
      const byRecord = new Map(all.map((record, at) => [record, produced[at]]))
      const passed = deadline.passed()
      return messages.map((message, at): RecordResult => {
        const value = values.get(message)
        if (value !== undefined && !Buffer.isBuffer(value)) return { result: value, isOfRecord: false }
        const results = (records[at] ?? []).map((record) => byRecord.get(record) ?? unsent)
        const found = results.find(({ result }) => result.outcome !== 'delivered') ?? results[0] ?? unsent
        // An outcome of the deadline is that of its reason: a connection that it ended says that it was canceled.
        const isLate = passed?.kind === 'timeout' && found.result.outcome === 'cancelled'
        return isLate ? { result: { outcome: 'retry', error: passed.message }, isOfRecord: false } : found
      })
    } catch (error) {
      producer.reset()
      const passed = deadline.passed()
      if (passed) throw passed
      if (!(error instanceof KafkaRefusal)) throw error
      const result = resultOf(error)
      return batch.map(() => ({ result, isOfRecord: false }))
    } finally {
      deadline.clear()
    }
  }

  return {
    async send(batch, options) {
      if (settings.layout === 'records') {
        const failed: FailedPartitions = new Map()
        const send = (some: readonly KeyedMessage[], rest: SendOptions) => sendAll(some, rest, failed)
        return sendRecords(batch, { ...options, services, keyOf: keyOfMessage, send })
      }
      const messages = batch.map((message) => ({ message, key: keyOfMessage(message) }))
      return (await sendAll(messages, options)).map(({ result }) => result)
    },
    async close() {
      cluster.end(new OutboundError('aborted', `The connections to ${shown} were closed.`))
    },
  }
}

const unsent: RecordResult = {
  result: { outcome: 'retry', error: 'The message was not sent.' },
  isOfRecord: false,
}
