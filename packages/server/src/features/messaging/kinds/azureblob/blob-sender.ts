import { createHmac } from 'node:crypto'
import { createCalls, notDelivered, xmlCode } from '../http-calls.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { metadataHeaders } from '../object-headers.ts'
import { openStore } from '../stored-messages.ts'
import { bytesOf } from '../streamed-body.ts'
import { type AzureBlobSettings, blobUrl } from './settings.ts'

const version = '2021-12-02'

/** Puts blobs into a container. */
export function openAzureBlob(settings: AzureBlobSettings, services: SenderServices): Sender {
  return openStore(settings, services, async ({ key, contentType, body: content, metadata }, options) => {
    const { time } = options
    const url = blobUrl(settings, key)
    // Names of metadata are identifiers: without dashes.
    const named = Object.entries(metadataHeaders('', metadata)).map(
      ([name, value]) => [`x-ms-meta-${name.replaceAll('-', '_')}`, value] as const,
    )
    const signed = {
      'x-ms-blob-type': 'BlockBlob',
      'x-ms-date': time.toUTCString(),
      'x-ms-version': version,
      ...Object.fromEntries(named),
    }
    const authorization = sharedKey(settings, { url, headers: signed, contentType, length: bytesOf(content) })
    const headers = { ...signed, 'content-type': contentType, authorization }
    const answer = await createCalls(services, options)({ method: 'PUT', url, headers, body: content })
    const { status, body } = answer
    if (status === 201 && answer.headers['etag'] !== undefined) return { outcome: 'delivered', status, response: body }
    const code = xmlCode(answer)
    const refusal = code === undefined ? undefined : `${url.host} answered ${status} (${code}).`
    const reason = status < 300 ? `${url.host} did not confirm the blob.` : refusal
    return notDelivered(url, answer, time, reason)
  })
}

/** Signs a request (Azure Storage, "Authorize with Shared Key", version 2015-02-21 and later). */
function sharedKey(
  { account, accessKey }: AzureBlobSettings,
  {
    url,
    headers,
    contentType,
    length,
  }: { url: URL; headers: Record<string, string>; contentType: string; length: number },
): string {
  const canonical = Object.entries(headers)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}:${value.trim()}\n`)
    .join('')
  const text = [
    'PUT',
    // Content-Encoding, Content-Language, Content-Length, Content-MD5, Content-Type, Date, four conditions, Range.
    ...['', '', length === 0 ? '' : String(length), '', contentType, '', '', '', '', '', ''],
    `${canonical}/${account}${url.pathname}`,
  ].join('\n')
  const signature = createHmac('sha256', Buffer.from(accessKey, 'base64')).update(text).digest('base64')
  return `SharedKey ${account}:${signature}`
}
