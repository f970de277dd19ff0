import { signatureFields } from '../envelope.ts'
import { createGoogleCalls } from '../google.ts'
import { jsonOf, notDelivered, xmlCode } from '../http-calls.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { objectKey, objectMetadata } from '../object-key.ts'
import { inAscii } from '../object-settings.ts'
import { openTemplate } from '../template.ts'
import { type GcsSettings, objectUrl } from './settings.ts'

const scope = 'https://www.googleapis.com/auth/devstorage.read_write'

/** Puts one object for each message: its body is the message, its metadata say what it is, and sign it. */
export function openGcs(settings: GcsSettings, services: SenderServices): Sender {
  const { keys, project, destination } = services
  const template = openTemplate(settings.keyTemplate)
  return {
    async send([message], options) {
      if (!message) return []
      const { time } = options
      const ids = { project, destination }
      const url = objectUrl(settings, objectKey(template, message, ids))
      const metadata = {
        ...objectMetadata(message, jsonOf(message), ids),
        ...signatureFields(keys, message, time),
      }
      const headers = {
        'content-type': 'application/json',
        ...Object.fromEntries(
          Object.entries(metadata).map(([name, value]) => [`x-goog-meta-${name.toLowerCase()}`, inAscii(value)]),
        ),
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
