import { signatureFields } from './envelope.ts'
import { jsonOf } from './http-calls.ts'
import { type InlineMessage, notKept, ResultNotKept, withInlineResult } from './inline-result.ts'
import type { OutgoingMessage, Sender, SenderServices, SendOptions, SendResult } from './kind.ts'
import { objectKey, objectMetadata, sourceOf } from './object-key.ts'
import { formatOfFiles, type ObjectSettings, openFiles, type PutObject } from './record-files/index.ts'
import { bytesOf, type DividedBody, isStreamed } from './streamed-body.ts'
import { openTemplate, type Template } from './template.ts'

/**
 * Sends to a store of objects: one object for each message, or files of records if the settings name a format. The body
 * of an object is the message with all of its records. Its metadata say what it is, and sign it.
 */
export function openStore(settings: ObjectSettings, services: SenderServices, put: PutObject): Sender {
  const format = formatOfFiles({ format: settings.format })
  if (format !== undefined) return openFiles({ format, prefixTemplate: settings.prefixTemplate, put, services })
  const template = openTemplate(settings.keyTemplate)
  return {
    async send([message], options) {
      if (!message) return []
      try {
        return [await storeMessage(message, { template, services, put }, options)]
      } catch (error) {
        if (error instanceof ResultNotKept) return [notKept]
        throw error
      }
    },
    close: async () => undefined,
  }
}

async function storeMessage(
  message: OutgoingMessage,
  { template, services, put }: { template: Template | undefined; services: SenderServices; put: PutObject },
  options: SendOptions,
): Promise<SendResult> {
  const { body, head: data, signature } = await contentOf(message, services, options.time)
  const [origin] = await services.originsOf([sourceOf({ message, data })])
  const known = { message, data, origin }
  const object = {
    key: objectKey(template, known, services),
    contentType: 'application/json',
    body,
    metadata: { ...objectMetadata(known, services), ...signature },
  }
  return put(object, isStreamed(body) ? withTimeFor(bytesOf(body), options) : options)
}

interface Content extends Pick<InlineMessage, 'signature'> {
  body: Buffer | DividedBody
  head: Record<string, unknown> | undefined
}

async function contentOf(message: OutgoingMessage, services: SenderServices, time: Date): Promise<Content> {
  if (message.hasResult) return withInlineResult(message, services, time)
  return { body: message.body, head: jsonOf(message), signature: signatureFields(services.keys, message, time) }
}

/** A slow connection needs longer for a large object, and every attempt would end at the same time. */
const bytesPerMs = 2 ** 20 / 1_000

function withTimeFor(bytes: number, options: SendOptions): SendOptions {
  return { ...options, timeoutMs: options.timeoutMs + Math.ceil(bytes / bytesPerMs) }
}
