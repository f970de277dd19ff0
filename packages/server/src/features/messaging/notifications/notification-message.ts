import { type CutMessage, messageBytesMax, partUrl } from '../messages/index.ts'
import type { EventType } from './event-types.ts'

/** The parts of a notification that can be large, in the order in which they stand at its end. */
const largeParts = ['config', 'lastConfig'] as const
type LargePart = (typeof largeParts)[number]

/**
 * The message of an event: `{"notificationType", "data"}`. When it would be too large, its configs are fetched by URL,
 * the larger one first: `configURL` takes the place of `config`.
 */
export function notificationMessage(notificationType: EventType, data: Record<string, unknown>): CutMessage {
  const body = Buffer.from(JSON.stringify({ notificationType, data }))
  if (body.length <= messageBytesMax) return { payload: body }
  const sizes = largeParts
    .filter((part) => data[part] !== undefined)
    .map((part) => ({ part, bytes: Buffer.byteLength(JSON.stringify(data[part])) }))
    .toSorted((a, b) => b.bytes - a.bytes)
  const byUrl: LargePart[] = []
  let bytes = body.length
  for (const { part, bytes: partBytes } of sizes) {
    if (bytes <= messageBytesMax) break
    byUrl.push(part)
    bytes -= partBytes
  }
  return withParts(notificationType, data, byUrl)
}

/** The URLs come last: that is where they are written in at each attempt. */
function withParts(notificationType: EventType, data: Record<string, unknown>, byUrl: LargePart[]): CutMessage {
  const inline = Object.entries(data).filter(([name]) => !byUrl.some((part) => part === name))
  const parts = largeParts.filter((part) => byUrl.includes(part))
  const urls = parts.map((part) => [`${part}URL`, partUrl(part)])
  return {
    payload: Buffer.from(JSON.stringify({ notificationType, data: Object.fromEntries([...inline, ...urls]) })),
    result: Buffer.from(JSON.stringify(Object.fromEntries(parts.map((part) => [part, data[part]])))),
  }
}
