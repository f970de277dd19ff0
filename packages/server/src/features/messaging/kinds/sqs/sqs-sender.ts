import type { SendMessageBatchCommandOutput } from '@aws-sdk/client-sqs'
import { awsError } from '../aws.ts'
import { awsClientConfig, type SentToAws, sendToAws } from '../aws-client.ts'
import { enveloped } from '../envelope.ts'
import { createCalls, notDelivered } from '../http-calls.ts'
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
  let client: ReturnType<typeof createClient> | undefined
  return {
    async send(batch, options) {
      const { time } = options
      const entries = batch.map((message): Entry => {
        const text = enveloped(services.keys, message, time).content.toString()
        return { message, text, bytes: Buffer.byteLength(text) + entryBytes }
      })
      const call = createCalls(services, options)
      return inParts(partsOf(entries, { bytesMax: requestBytesMax, countMax: 10 }), async (part) => {
        client ??= createClient(settings)
        const { sqs, SendMessageBatchCommand } = await client
        const input = { QueueUrl: settings.queueUrl, Entries: part.map(entryOf(settings)) }
        const sent = await sendToAws(call, (by) => sqs.send(new SendMessageBatchCommand(input), by))
        const result = resultsOf(url, sent, time)
        return part.map((_, index) => result(index))
      })
    },
    close: async () => undefined,
  }
}

async function createClient(settings: SqsSettings) {
  const { SQSClient, SendMessageBatchCommand } = await import('@aws-sdk/client-sqs')
  const config = awsClientConfig(sqsUrl(settings), regionOf(settings), settings)
  // No digests: the receipt names the entry, and TLS protects its body.
  return { sqs: new SQSClient({ ...config, useQueueUrlAsEndpoint: false, md5: false }), SendMessageBatchCommand }
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
function resultsOf(
  url: URL,
  { answer, output }: SentToAws<SendMessageBatchCommandOutput>,
  time: Date,
): (index: number) => SendResult {
  const { status } = answer
  if (status !== 200) {
    const failure = awsError(url, answer, time)
    return () => failure
  }
  const [accepted, refused] = [entriesById(output?.Successful), entriesById(output?.Failed)]
  const isAttributed = [...refused.keys()].every((id) => /^\d$/.test(String(id)))
  return (index) => {
    const done = accepted.get(String(index))
    const isAccepted = isAttributed && !refused.has(String(index))
    if (isAccepted && typeof done?.MessageId === 'string' && done.MessageId !== '')
      return { outcome: 'delivered', status, response: shown(done) }
    const refusal = refused.get(String(index))
    const code = /^[\w.]{1,80}/.exec(refusal?.Code ?? '')?.[0]
    const reason =
      code === undefined ? `${url.host} did not confirm the message.` : `${url.host} refused the message (${code}).`
    const body = refusal ? shown(refusal) : answer.body
    const result = notDelivered(url, { ...answer, body }, time, reason)
    return code !== undefined && badMessages.has(code) ? { ...result, outcome: 'refused' } : result
  }
}

/** Codes that another attempt would have, too: of the message, not of the queue or its keys. */
const badMessages = new Set(['InvalidMessageContents', 'MessageTooLong'])

const shown = (entry: object) => Buffer.from(JSON.stringify(entry))

/** An answer may have anything in place of a list, and in it. */
function entriesById<E extends { Id: string | undefined }>(entries: readonly E[] | undefined): Map<unknown, E> {
  const list: readonly (E | null)[] = Array.isArray(entries) ? entries : []
  return new Map(list.map((entry) => [entry?.Id, entry as E]))
}
