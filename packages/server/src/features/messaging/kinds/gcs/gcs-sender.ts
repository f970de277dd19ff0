import { createGoogleCalls } from '../google.ts'
import { notDelivered, xmlCode } from '../http-calls.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { metadataHeaders } from '../object-headers.ts'
import { openStore } from '../stored-messages.ts'
import { type GcsSettings, objectUrl } from './settings.ts'

const scope = 'https://www.googleapis.com/auth/devstorage.read_write'

/** Puts objects into a bucket. */
export function openGcs(settings: GcsSettings, services: SenderServices): Sender {
  return openStore(settings, services, async ({ key, contentType, body: content, metadata }, options) => {
    const { time } = options
    const url = objectUrl(settings, key)
    const headers = { 'content-type': contentType, ...metadataHeaders('x-goog-meta-', metadata) }
    const call = createGoogleCalls(settings, { scope, services, options })
    const answer = await call({ method: 'PUT', url, headers, body: content })
    if ('outcome' in answer) return answer
    const { status, body } = answer
    if (status !== 200) {
      const code = xmlCode(answer)
      const reason = code === undefined ? undefined : `${url.host} answered ${status} (${code}).`
      return notDelivered(url, answer, time, reason)
    }
    // The number of the version that was stored.
    if (!/^\d{1,20}$/.test(answer.headers['x-goog-generation'] ?? ''))
      return notDelivered(url, answer, time, `${url.host} did not confirm the object.`)
    return { outcome: 'delivered', status, response: body }
  })
}
