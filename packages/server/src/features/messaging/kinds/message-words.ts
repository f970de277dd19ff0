import { jsonOf } from './http-calls.ts'
import type { OutgoingMessage } from './kind.ts'
import { fillTemplate, type Template } from './template.ts'

/** Characters of one word at most: customers can name objects. */
const wordLengthMax = 100

/**
 * Says in words what a message is about, for routing keys and subjects: `read.hubspot.contact` of a message with
 * records, `notification.connection.error` of a notification.
 */
export function messageWords({ kind, eventType, body }: Pick<OutgoingMessage, 'kind' | 'eventType' | 'body'>): string {
  if (eventType !== undefined) return `${kind}.${eventType}`
  const head = headOf(body)
  const content = head?.['objectName'] === undefined ? (jsonOf({ body }) ?? {}) : head
  const words = ['provider', 'objectName'].map((name) => wordOf(content[name]))
  return [kind, ...words].join('.')
}

/** What precedes the records of a message. In a string of JSON, these bytes would have an escape. */
const resultStart = ',"result":['

/**
 * Parses what precedes the records of a message: it has the names, and the records are nearly all of the message.
 * Undefined if it has no records, or has them elsewhere.
 */
export function headOf(body: Buffer): Record<string, unknown> | undefined {
  const end = body.indexOf(resultStart)
  return end < 0 ? undefined : jsonOf({ body: Buffer.concat([body.subarray(0, end), Buffer.from('}')]) })
}

/** A dot or a character that subscriptions match with would change how many words there are. */
function wordOf(value: unknown): string {
  const word = typeof value === 'string' ? value.slice(0, wordLengthMax).replace(/[\s.*>#\p{Cc}]/gu, '_') : ''
  return word === '' ? '-' : word.toWellFormed()
}

/** What a template makes of a message, or its words if there is no template or it makes no text. */
export function filledOrWords(template: Template | undefined, message: OutgoingMessage): string {
  const made = template && fillTemplate(template, { data: jsonOf(message) ?? null })
  return made ?? messageWords(message)
}

/** Cuts a text to at most some bytes of UTF-8, between two characters. */
export function cutToBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  let end = bytesMax
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
