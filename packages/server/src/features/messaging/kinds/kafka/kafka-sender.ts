import { OutboundError } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import { signatureFields } from '../envelope.ts'
import { jsonOf } from '../http-calls.ts'
import { installationOf } from '../installation-of.ts'
import type { OutgoingMessage, Sender, SenderServices, SendOptions, SendResult } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { cutToBytes } from '../message-words.ts'
import { fillTemplate, openTemplate, type Template } from '../template.ts'
import { avroValues } from './avro/avro-values.ts'
import { KafkaCluster } from './kafka-cluster.ts'
import { KafkaProducer, type Production } from './kafka-producer.ts'
import { KafkaRefusal, resultOf } from './refusal.ts'
import { isAvro, type KafkaSettings } from './settings.ts'

const keyBytesMax = 1_024

/** Produces messages to the brokers that lead their partitions. Connections stay open until an error or `close`. */
export function openKafka(settings: KafkaSettings, services: SenderServices): Sender {
  const cluster = new KafkaCluster(settings, services)
  const producer = new KafkaProducer(cluster, settings.topic)
  const template = openTemplate(settings.partitionKeyTemplate)
  const shown = settings.brokers

  const productionOf = (message: OutgoingMessage, value: Buffer, time: Date): Production => {
    const { id, kind, eventType } = message
    const fields = { id, kind, ...(eventType !== undefined && { eventType }), project: services.project }
    const record = {
      key: Buffer.from(keyOf(template, message)),
      value,
      headers: { ...fields, ...signatureFields(services.keys, { id, body: value }, time) },
      time: createTimeOf(message),
    }
    return { message, record }
  }

  const valuesOf = async (batch: readonly OutgoingMessage[], options: SendOptions) =>
    isAvro(settings)
      ? avroValues(settings, services, { batch, options })
      : new Map<OutgoingMessage, Buffer | SendResult>(batch.map((message) => [message, message.body]))

  return {
    async send(batch, options) {
      const deadline = startDeadline(shown, options)
      deadline.ends(cluster)
      try {
        const values = await valuesOf(batch, { ...options, signal: deadline.signal })
        const productions = batch.flatMap((message) => {
          const value = values.get(message)
          return Buffer.isBuffer(value) ? [productionOf(message, value, options.time)] : []
        })
        const { timeoutMs } = options
        const produced =
          productions.length === 0 ? [] : await producer.produce(productions, { timeoutMs, signal: deadline.signal })
        const byMessage = new Map(productions.map(({ message }, at) => [message, produced[at]]))
        const results = batch.map((message): SendResult => {
          const value = values.get(message)
          const result = Buffer.isBuffer(value) ? byMessage.get(message) : value
          return result ?? { outcome: 'retry', error: 'The message was not sent.' }
        })
        // An outcome of the deadline is that of its reason: a connection that it ended says that it was canceled.
        const passed = deadline.passed()
        return passed?.kind !== 'timeout'
          ? results
          : results.map((one) => (one.outcome === 'cancelled' ? { outcome: 'retry', error: passed.message } : one))
      } catch (error) {
        producer.reset()
        const passed = deadline.passed()
        if (passed) throw passed
        if (!(error instanceof KafkaRefusal)) throw error
        const result = resultOf(error)
        return batch.map(() => result)
      } finally {
        deadline.clear()
      }
    },
    async close() {
      cluster.end(new OutboundError('aborted', `The connections to ${shown} were closed.`))
    },
  }
}

/** Messages of one key are in one partition, in their order. */
function keyOf(template: Template | undefined, message: OutgoingMessage): string {
  const made = template && fillTemplate(template, { data: jsonOf(message) ?? null })
  return cutToBytes(made ?? installationOf(message) ?? message.id, keyBytesMax)
}
