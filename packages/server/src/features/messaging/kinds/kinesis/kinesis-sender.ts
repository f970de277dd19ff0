import { awsError, signedForAws } from '../aws.ts'
import { enveloped } from '../envelope.ts'
import { createCalls, type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import { inParts, partsOf } from '../in-parts.ts'
import type { OutgoingMessage, Sender, SenderServices, SendResult } from '../kind.ts'
import { fillTemplate, openTemplate, type Template } from '../template.ts'
import { type KinesisSettings, kinesisUrl } from './settings.ts'

/** Maximum size of a request (Amazon Kinesis, `PutRecords`), and of a partition key. */
const requestBytesMax = 5 * 2 ** 20
const keyLengthMax = 256

interface Entry {
  message: OutgoingMessage
  record: { Data: string; PartitionKey: string }
  bytes: number
}

/** Puts messages by `PutRecords`. Records of one partition key that succeed are in their order. */
export function openKinesis(settings: KinesisSettings, services: SenderServices): Sender {
  const url = kinesisUrl(settings)
  const { streamName, region } = settings
  const template = openTemplate(settings.partitionKeyTemplate)
  return {
    async send(batch, options) {
      const { time } = options
      const entries = batch.map((message): Entry => {
        const data = enveloped(services.keys, message, time).toString('base64')
        const record = { Data: data, PartitionKey: keyOf(template, message) }
        return { message, record, bytes: data.length + Buffer.byteLength(record.PartitionKey) }
      })
      const call = createCalls(services, options)
      return inParts(partsOf(entries, { bytesMax: requestBytesMax, countMax: 500 }), async (part) => {
        const body = JSON.stringify({ StreamName: streamName, Records: part.map(({ record }) => record) })
        const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'Kinesis_20131202.PutRecords' }
        const signing = { service: 'kinesis', region, credentials: settings, time }
        const answer = await call(await signedForAws({ url, headers, body }, signing))
        return part.map((_, index) => resultOf(url, answer, index, time))
      })
    },
    close: async () => undefined,
  }
}

function keyOf(template: Template | undefined, { id, body }: OutgoingMessage): string {
  const made = template && fillTemplate(template, { data: jsonOf({ body }) ?? null })
  return made === undefined || made.length > keyLengthMax ? id : made
}

/** What an answer says about one record. Only its sequence number delivers it. */
function resultOf(url: URL, answer: HttpAnswer, index: number, time: Date): SendResult {
  const { status } = answer
  if (status !== 200) return awsError(url, answer, time)
  const records: unknown = jsonOf(answer)?.['Records']
  const record: unknown = Array.isArray(records) ? records[index] : undefined
  if (typeof record !== 'object' || record === null)
    return notDelivered(url, answer, time, `${url.host} did not confirm the message.`)
  const response = Buffer.from(JSON.stringify(record))
  const [number, code] = [Reflect.get(record, 'SequenceNumber'), Reflect.get(record, 'ErrorCode')]
  if (typeof number === 'string' && code === undefined) return { outcome: 'delivered', status, response }
  const shown = typeof code === 'string' ? /^\w{1,80}/.exec(code)?.[0] : undefined
  const reason = `${url.host} refused the message (${shown ?? 'without a code'}).`
  return notDelivered(url, { ...answer, body: response }, time, reason)
}
