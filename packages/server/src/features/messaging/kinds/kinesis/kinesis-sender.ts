import type { PutRecordsCommandOutput, PutRecordsResultEntry } from '@aws-sdk/client-kinesis'
import { awsError } from '../aws.ts'
import { awsClientConfig, type SentToAws, sendToAws } from '../aws-client.ts'
import { enveloped } from '../envelope.ts'
import { createCalls, jsonOf, notDelivered } from '../http-calls.ts'
import { inParts, partsOf } from '../in-parts.ts'
import type { OutgoingMessage, Sender, SenderServices, SendResult } from '../kind.ts'
import { fillTemplate, openTemplate, type Template } from '../template.ts'
import { type KinesisSettings, kinesisUrl } from './settings.ts'

/** Maximum size of a request (Amazon Kinesis, `PutRecords`), and of a partition key. */
const requestBytesMax = 5 * 2 ** 20
const keyLengthMax = 256

/** Puts messages by `PutRecords`. Records of one partition key that succeed are in their order. */
export function openKinesis(settings: KinesisSettings, services: SenderServices): Sender {
  const url = kinesisUrl(settings)
  const template = openTemplate(settings.partitionKeyTemplate)
  let client: ReturnType<typeof createClient> | undefined
  return {
    async send(batch, options) {
      const { time } = options
      const entries = batch.map((message) => {
        const Data = enveloped(services.keys, message, time).content
        const PartitionKey = keyOf(template, message)
        // As base64.
        const bytes = Math.ceil(Data.length / 3) * 4 + Buffer.byteLength(PartitionKey)
        return { record: { Data, PartitionKey }, bytes }
      })
      const call = createCalls(services, options)
      return inParts(partsOf(entries, { bytesMax: requestBytesMax, countMax: 500 }), async (part) => {
        client ??= createClient(settings)
        const { kinesis, PutRecordsCommand } = await client
        const input = { StreamName: settings.streamName, Records: part.map(({ record }) => record) }
        const sent = await sendToAws(call, (by) => kinesis.send(new PutRecordsCommand(input), by))
        const result = resultsOf(url, sent, { time, count: part.length })
        return part.map((_, index) => result(index))
      })
    },
    close: async () => undefined,
  }
}

async function createClient(settings: KinesisSettings) {
  const { KinesisClient, PutRecordsCommand } = await import('@aws-sdk/client-kinesis')
  const config = awsClientConfig(kinesisUrl(settings), settings.region, settings)
  return { kinesis: new KinesisClient(config), PutRecordsCommand }
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
  { answer, output }: SentToAws<PutRecordsCommandOutput>,
  { time, count }: { time: Date; count: number },
): (index: number) => SendResult {
  const { status } = answer
  if (status !== 200) {
    const failure = awsError(url, answer, time)
    return () => failure
  }
  const { Records: listed, FailedRecordCount: failed } = output ?? {}
  const records: readonly PutRecordsResultEntry[] = Array.isArray(listed) && listed.length === count ? listed : []
  const errors = records.filter((record) => record?.ErrorCode !== undefined).length
  const isConsistent = failed === undefined || failed === errors
  return (index) => {
    const record = isConsistent ? records[index] : undefined
    if (typeof record !== 'object' || record === null)
      return notDelivered(url, answer, time, `${url.host} did not confirm the message.`)
    const response = Buffer.from(JSON.stringify(record))
    const { SequenceNumber: number, ErrorCode: code } = record
    if (typeof number === 'string' && number !== '' && code === undefined)
      return { outcome: 'delivered', status, response }
    const shown = /^\w{1,80}/.exec(code ?? '')?.[0]
    const reason = `${url.host} refused the message (${shown ?? 'without a code'}).`
    return notDelivered(url, { ...answer, body: response }, time, reason)
  }
}
