import { createHash } from 'node:crypto'
import { jsonOf } from '../http-calls.ts'
import { installationOf } from '../installation-of.ts'
import type { OutgoingMessage } from '../kind.ts'
import { cutToBytes } from '../message-words.ts'
import type { RecordMessage } from '../record-messages.ts'
import { fillTemplate, type Template } from '../template.ts'

const keyBytesMax = 1_024

/** Returns the key of a message. Messages of one key are in one partition, in their order. */
export function keyOf(template: Template | undefined, message: OutgoingMessage | RecordMessage): string {
  const made = template && fillTemplate(template, { data: jsonOf(message) ?? null })
  if (!('recordKey' in message)) return cutToBytes(made ?? installationOf(message) ?? message.id, keyBytesMax)
  return shortened(made ?? message.recordKey ?? installationOf(message) ?? message.id)
}

/** Shortens a key that is too long. A compacted topic keeps one record of a key, so two must not become one. */
function shortened(key: string): string {
  if (Buffer.byteLength(key) <= keyBytesMax) return key
  const hash = createHash('sha256').update(key).digest('hex')
  return `${cutToBytes(key, keyBytesMax - hash.length - 1)}:${hash}`
}
