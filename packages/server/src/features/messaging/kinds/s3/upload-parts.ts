import type { CreateMultipartUploadCommandInput } from '@aws-sdk/client-s3'
import { sendToAws } from '../aws-client.ts'
import { createCalls } from '../http-calls.ts'
import type { SenderServices, SendOptions, SendResult } from '../kind.ts'
import type { StreamedBody } from '../streamed-body.ts'
import { documentOf, receiptOf } from './receipts.ts'
import { contentOf, type S3 } from './s3-client.ts'

/** Parts of an object that are sent at the same time. */
const concurrency = 3
/** How long a store may take to delete the parts of an upload that failed. */
const abortMs = 3_000

interface LargeObject {
  s3: S3
  url: URL
  object: CreateMultipartUploadCommandInput
  parts: readonly (Buffer | StreamedBody)[]
}

/** A step of an upload that the store did not confirm. */
class StepFailed extends Error {
  override name = 'StepFailed'
  readonly result: SendResult
  constructor(result: SendResult) {
    super('The store did not confirm a step of the upload.')
    this.result = result
  }
}

function assertConfirmed(result: SendResult): void {
  if (result.outcome !== 'delivered') throw new StepFailed(result)
}

/** Uploads an object in parts. It exists when the store has joined them all. A failed upload is aborted. */
export async function uploadParts(
  { s3, url, object, parts }: LargeObject,
  services: SenderServices,
  { time, timeoutMs, signal }: SendOptions,
): Promise<SendResult> {
  const { client, library } = s3
  const stop = new AbortController()
  const call = createCalls(services, { timeoutMs, signal: AbortSignal.any([signal, stop.signal]) })
  const begin = new library.CreateMultipartUploadCommand(object)
  const begun = await sendToAws(call, (by) => client.send(begin, by))
  const UploadId = begun.output?.UploadId
  const begunResult = documentOf(url, begun.answer, time, {
    root: 'InitiateMultipartUpload',
    receipt: UploadId,
  })
  if (begunResult.outcome !== 'delivered') return begunResult
  const upload = { Bucket: object.Bucket, Key: object.Key, UploadId }

  async function sendPart(part: Buffer | StreamedBody, PartNumber: number) {
    const command = new library.UploadPartCommand({ ...upload, PartNumber, ...contentOf(part) })
    const { answer } = await sendToAws(call, (by) => client.send(command, by))
    assertConfirmed(receiptOf(url, answer, time))
    return { PartNumber, ETag: answer.headers['etag'] }
  }

  async function complete(): Promise<SendResult> {
    const Parts = await mapConcurrently(
      parts,
      (part, index) => sendPart(part, index + 1),
      () => stop.abort(),
    )
    const command = new library.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } })
    const { answer, output } = await sendToAws(call, (by) => client.send(command, by))
    const result = documentOf(url, answer, time, {
      root: 'CompleteMultipartUpload',
      receipt: output?.ETag,
    })
    assertConfirmed(result)
    return result
  }

  try {
    return await complete()
  } catch (error) {
    const command = new library.AbortMultipartUploadCommand(upload)
    const lastCall = createCalls(services, { timeoutMs: abortMs, signal: new AbortController().signal })
    // Without an answer, a lifecycle rule of the bucket deletes the parts.
    await sendToAws(lastCall, (by) => client.send(command, by)).catch(() => undefined)
    if (error instanceof StepFailed) return error.result
    throw error
  }
}

/** Maps some items at the same time. A failure stops the others, and is thrown when they have ended. */
async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Promise<Result>,
  stop: () => void,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const left = items.entries()
  const work = async () => {
    for (const [index, item] of left) {
      if (failures.length > 0) return
      results[index] = await map(item, index)
    }
  }
  const fail = (error: unknown) => {
    failures.push(error)
    stop()
  }
  await Promise.all(Array.from({ length: concurrency }, () => work().catch(fail)))
  if (failures.length > 0) throw failures[0]
  return results
}
