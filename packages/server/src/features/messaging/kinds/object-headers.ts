import { signatureFields } from './envelope.ts'
import { jsonOf } from './http-calls.ts'
import type { OutgoingMessage, SenderServices } from './kind.ts'
import { objectMetadata } from './object-key.ts'

/** What a store keeps with the object of a message: what the message is, and its signature. */
export function messageMetadata(
  message: OutgoingMessage,
  { keys, project, destination }: Pick<SenderServices, 'keys' | 'project' | 'destination'>,
  time: Date,
): Record<string, string> {
  return {
    ...objectMetadata(message, jsonOf(message), { project, destination }),
    ...signatureFields(keys, message, time),
  }
}

/**
 * Returns the headers by which a store keeps metadata with an object.
 *
 * @param prefix of the names of headers, such as `x-amz-meta-`
 */
export function metadataHeaders(prefix: string, metadata: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [`${prefix}${name.toLowerCase()}`, inAscii(value)]),
  )
}

/** Headers are ASCII: other characters are percent-encoded. */
function inAscii(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part))
}
