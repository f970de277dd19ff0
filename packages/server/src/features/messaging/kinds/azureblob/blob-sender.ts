import { createCalls, notDelivered, xmlCode } from '../http-calls.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { openStore } from '../stored-messages.ts'
import { answerOf, openBlobs } from './blob-client.ts'
import { type AzureBlobSettings, blobUrl } from './settings.ts'
import { upload } from './upload.ts'

/** Puts blobs into a container. */
export function openAzureBlob(settings: AzureBlobSettings, services: SenderServices): Sender {
  let blobs: ReturnType<typeof openBlobs> | undefined
  return openStore(settings, services, async (object, options) => {
    const call = createCalls(services, options)
    blobs ??= openBlobs(settings)
    const blob = (await blobs)(object.key)
    const answer = await answerOf(call, () => upload(blob, object))
    const { status, body } = answer
    if (status === 201 && answer.headers['etag'] !== undefined) return { outcome: 'delivered', status, response: body }
    const url = blobUrl(settings, object.key)
    const code = xmlCode(answer)
    const refusal = code === undefined ? undefined : `${url.host} answered ${status} (${code}).`
    const reason = status < 300 ? `${url.host} did not confirm the blob.` : refusal
    return notDelivered(url, answer, options.time, reason)
  })
}
