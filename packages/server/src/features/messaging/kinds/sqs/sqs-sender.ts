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
        const text = enveloped(services.keys, message, time).content.toString()
        return { message, text, bytes: Buffer.byteLength(text) + entryBytes }
      })
      const call = createCalls(services, options)
      return inParts(partsOf(entries, { bytesMax: requestBytesMax, countMax: 10 }), async (part) => {
        const body = JSON.stringify({ QueueUrl: settings.queueUrl, Entries: part.map(entryOf(settings)) })
        const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.SendMessageBatch' }
        const signing = { service: 'sqs', region, credentials: settings, time }
        const answer = await call(await signedForAws({ url, headers, body }, signing))
        const result = resultsOf(url, answer, time)
        return part.map((_, index) => result(index))
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

/**
 * What an answer says about each entry. Only the id that the queue gave it delivers it, unless the answer has an error
 * of it, too, or of no entry: then any may be meant.
 */
function resultsOf(url: URL, answer: HttpAnswer, time: Date): (index: number) => SendResult {
  const { status } = answer
  if (status !== 200) {
    const failure = awsError(url, answer, time)
    return () => failure
  }
  const { Successful: successful, Failed: failed } = jsonOf(answer) ?? {}
  const [accepted, refused] = [entriesById(successful), entriesById(failed)]
  const isAttributed = [...refused.keys()].every((id) => typeof id === 'string' && /^\d$/.test(id))
  return (index) => {
    const done = accepted.get(String(index))
    const isAccepted = isAttributed && !refused.has(String(index))
    if (isAccepted && typeof done?.['MessageId'] === 'string' && done['MessageId'] !== '')
      return { outcome: 'delivered', status, response: Buffer.from(JSON.stringify(done)) }
    const refusal = refused.get(String(index))
    const code = typeof refusal?.['Code'] === 'string' ? /^[\w.]{1,80}/.exec(refusal['Code'])?.[0] : undefined
    const reason =
      code === undefined ? `${url.host} did not confirm the message.` : `${url.host} refused the message (${code}).`
    const body = refusal ? Buffer.from(JSON.stringify(refusal)) : answer.body
    const result = notDelivered(url, { ...answer, body }, time, reason)
    return code !== undefined && badMessages.has(code) ? { ...result, outcome: 'refused' } : result
  }
}

/** Codes that another attempt would have, too: of the message, not of the queue or its keys. */
const badMessages = new Set(['InvalidMessageContents', 'MessageTooLong'])

function entriesById(list: unknown): Map<unknown, Record<string, unknown>> {
  const entries = Array.isArray(list) ? list.filter((one: unknown) => typeof one === 'object' && one !== null) : []
  return new Map((entries as Record<string, unknown>[]).map((one) => [one['Id'], one]))
}
