import type { Sender, SenderServices } from './kind.ts'
import { messageMetadata } from './object-headers.ts'
import { objectKey } from './object-key.ts'
import { formatOfFiles, type ObjectSettings, openFiles, type PutObject } from './record-files/index.ts'
import { openTemplate } from './template.ts'

/**
 * Sends to a store of objects: one object for each message, whose body is the message and whose metadata say what it
 * is, and sign it; or files of records, if the settings name a format.
 */
export function openStore(settings: ObjectSettings, services: SenderServices, put: PutObject): Sender {
  const format = formatOfFiles({ format: settings.format })
  if (format !== undefined) return openFiles({ format, prefixTemplate: settings.prefixTemplate, put, services })
  const template = openTemplate(settings.keyTemplate)
  return {
    async send([message], options) {
      if (!message) return []
      const metadata = messageMetadata(message, services, options.time)
      const key = objectKey(template, message, services)
      return [await put({ key, contentType: 'application/json', body: message.body, metadata }, options)]
    },
    close: async () => undefined,
  }
}
