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
  /** The record as JSON. */
  record: string
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
        const data = enveloped(services.keys, message, time).content.toString('base64')
        const key = keyOf(template, message)
        // Base64 has nothing to escape, and looking for it takes as long as all the rest.
        const record = `{"Data":"${data}","PartitionKey":${JSON.stringify(key)}}`
        return { message, record, bytes: data.length + Buffer.byteLength(key) }
      })
      const call = createCalls(services, options)
      return inParts(partsOf(entries, { bytesMax: requestBytesMax, countMax: 500 }), async (part) => {
        const records = part.map(({ record }) => record).join()
        const body = Buffer.from(`{"StreamName":${JSON.stringify(streamName)},"Records":[${records}]}`)
        const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'Kinesis_20131202.PutRecords' }
        const signing = { service: 'kinesis', region, credentials: settings, time }
        const answer = await call(await signedForAws({ url, headers, body }, signing))
        const result = resultsOf(url, answer, { time, count: part.length })
        return part.map((_, index) => result(index))
      })
    },
    close: async () => undefined,
  }
}

function keyOf(template: Template | undefined, { id, body }: OutgoingMessage): string {
  const made = template && fillTemplate(template, { data: jsonOf({ body }) ?? null })
  return made === undefined || made.length > keyLengthMax ? id : made
}

/**
 * What an answer says about each record. Only its sequence number delivers it, in an answer that has a result for each
 * and as many errors as it says.
 */
function resultsOf(
  url: URL,
  answer: HttpAnswer,
  { time, count }: { time: Date; count: number },
): (index: number) => SendResult {
  const { status } = answer
  if (status !== 200) {
    const failure = awsError(url, answer, time)
    return () => failure
  }
  const { Records: listed, FailedRecordCount: failed } = jsonOf(answer) ?? {}
  const records: unknown[] = Array.isArray(listed) && listed.length === count ? listed : []
  const errors = records.filter((record) => errorCodeOf(record) !== undefined).length
  const isConsistent = failed === undefined || failed === errors
  return (index) => {
    const record: unknown = isConsistent ? records[index] : undefined
    if (typeof record !== 'object' || record === null)
      return notDelivered(url, answer, time, `${url.host} did not confirm the message.`)
    const response = Buffer.from(JSON.stringify(record))
    const [number, code] = [Reflect.get(record, 'SequenceNumber') as unknown, errorCodeOf(record)]
    if (typeof number === 'string' && number !== '' && code === undefined)
      return { outcome: 'delivered', status, response }
    const shown = typeof code === 'string' ? /^\w{1,80}/.exec(code)?.[0] : undefined
    const reason = `${url.host} refused the message (${shown ?? 'without a code'}).`
    return notDelivered(url, { ...answer, body: response }, time, reason)
  }
}

/** The code of a record that failed. Services that play Kinesis answer null for others. */
function errorCodeOf(record: unknown): unknown {
  const code: unknown = typeof record === 'object' && record !== null ? Reflect.get(record, 'ErrorCode') : undefined
  return code ?? undefined
}
