import { awsError, signedForAws } from '../aws.ts'
import { enveloped } from '../envelope.ts'
import { createCalls, type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import { inParts, partsOf } from '../in-parts.ts'
import { installationOf } from '../installation-of.ts'
import type { OutgoingMessage, Sender, SenderServices, SendResult } from '../kind.ts'
import { isFifo, regionOf, type SqsSettings, sqsUrl } from './settings.ts'

/** Maximum size of a request (Amazon SQS, "Quotas related to messages"). */
const requestBytesMax = 2 ** 20
/** Of an entry besides its body: names, ids, quotes. */
const entryBytes = 400

interface Entry {
  message: OutgoingMessage
  text: string
  bytes: number
}

/** Sends messages by `SendMessageBatch`. A FIFO queue gets those of an installation in their order, each once. */
export function openSqs(settings: SqsSettings, services: SenderServices): Sender {
  const url = sqsUrl(settings)
  const region = regionOf(settings)
  return {
    async send(batch, options) {
      const { time } = options
      const entries = batch.map((message): Entry => {
        const text = enveloped(services.keys, message, time).toString()
        return { message, text, bytes: Buffer.byteLength(text) + entryBytes }
      })
      const call = createCalls(services, options)
      return inParts(partsOf(entries, { bytesMax: requestBytesMax, countMax: 10 }), async (part) => {
        const body = JSON.stringify({ QueueUrl: settings.queueUrl, Entries: part.map(entryOf(settings)) })
        const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.SendMessageBatch' }
        const signing = { service: 'sqs', region, credentials: settings, time }
        const answer = await call(await signedForAws({ url, headers, body }, signing))
        return part.map((_, index) => resultOf(url, answer, index, time))
      })
    },
    close: async () => undefined,
  }
}

function entryOf(settings: SqsSettings) {
  return ({ message, text }: Entry, index: number) => ({
    Id: String(index),
    MessageBody: text,
    ...(isFifo(settings) && {
      MessageGroupId: installationOf(message) ?? message.id,
      MessageDeduplicationId: message.id,
    }),
  })
}

/** What an answer says about one entry. Only the id that the queue gave it delivers it. */
function resultOf(url: URL, answer: HttpAnswer, index: number, time: Date): SendResult {
  const { status } = answer
  if (status !== 200) return awsError(url, answer, time)
  const { Successful: successful, Failed: failed } = jsonOf(answer) ?? {}
  const done = entryIn(successful, index)
  if (typeof done?.['MessageId'] === 'string')
    return { outcome: 'delivered', status, response: Buffer.from(JSON.stringify(done)) }
  const refusal = entryIn(failed, index)
  const code = typeof refusal?.['Code'] === 'string' ? /^[\w.]{1,80}/.exec(refusal['Code'])?.[0] : undefined
  const reason =
    code === undefined ? `${url.host} did not confirm the message.` : `${url.host} refused the message (${code}).`
  const body = refusal ? Buffer.from(JSON.stringify(refusal)) : answer.body
  const result = notDelivered(url, { ...answer, body }, time, reason)
  return code !== undefined && badMessages.has(code) ? { ...result, outcome: 'refused' } : result
}

/** Codes that another attempt would have, too: of the message, not of the queue or its keys. */
const badMessages = new Set(['InvalidMessageContents', 'MessageTooLong'])

function entryIn(list: unknown, index: number): Record<string, unknown> | undefined {
  if (!Array.isArray(list)) return undefined
  return list.find(
    (one: unknown) => typeof one === 'object' && one !== null && Reflect.get(one, 'Id') === String(index),
  )
}
