import { createGoogleCalls } from '../google.ts'
import { notDelivered, xmlCode } from '../http-calls.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { metadataHeaders } from '../object-headers.ts'
import { objectKey } from '../object-key.ts'
import { openTemplate } from '../template.ts'
import { type GcsSettings, objectUrl } from './settings.ts'

const scope = 'https://www.googleapis.com/auth/devstorage.read_write'

/** Puts one object for each message: its body is the message, its metadata say what it is, and sign it. */
export function openGcs(settings: GcsSettings, services: SenderServices): Sender {
  const template = openTemplate(settings.keyTemplate)
  return {
    async send([message], options) {
      if (!message) return []
      const { time } = options
      const url = objectUrl(settings, objectKey(template, message, services))
      const headers = {
        'content-type': 'application/json',
        ...metadataHeaders('x-goog-meta-', message, services, time),
      }
      const call = createGoogleCalls(settings, { scope, services, options })
      const answer = await call({ method: 'PUT', url, headers, body: message.body })
      if ('outcome' in answer) return [answer]
      const { status, body } = answer
      if (status !== 200) {
        const code = xmlCode(answer)
        const reason = code === undefined ? undefined : `${url.host} answered ${status} (${code}).`
        return [notDelivered(url, answer, time, reason)]
      }
      // The number of the version that was stored.
      if (!/^\d{1,20}$/.test(answer.headers['x-goog-generation'] ?? ''))
        return [notDelivered(url, answer, time, `${url.host} did not confirm the object.`)]
      return [{ outcome: 'delivered', status, response: body }]
    },
    close: async () => undefined,
  }
}
