import { pluralize } from '../pluralize.ts'
import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Forwarded } from './forward.ts'
import type { Received } from './forward-messages.ts'
import type { StreamedMessage } from './listen.ts'

/** What a message brings, as far as its body tells. */
export function contentsOf({ kind, eventType, body }: StreamedMessage): {
  what: string
  objectName?: string
  records?: number
} {
  const { objectName, resultInfo } = parsed(body) as { objectName?: unknown; resultInfo?: { numRecords?: unknown } }
  return {
    what: eventType ?? kind,
    ...(typeof objectName === 'string' && { objectName }),
    ...(typeof resultInfo?.numRecords === 'number' && { records: resultInfo.numRecords }),
  }
}

function parsed(body: string | undefined): object {
  try {
    const value: unknown = JSON.parse(body ?? '')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Returns one line for an event. */
export function receivedLine(received: Received, colours: Terminal['out']): string {
  if (received.event === 'forwarded') return forwardedLine(received.forwarded, colours)
  const { event, message } = received
  const { dim, green, red, yellow } = colours
  const { what, objectName, records } = contentsOf(message)
  const time = new Date(event === 'state' ? (message.endTime ?? Date.now()) : message.createTime).toISOString()
  const begin = `${dim(time)} ${dim(message.id)}`
  if (event === 'state') {
    const { state, attempts } = message
    const colour = { delivered: green, failed: red, pending: yellow, discarded: dim }[state]
    return `${begin} ${colour(state)}${attempts > 0 ? `, attempt ${attempts}` : ''}\n`
  }
  const parts = [what, objectName, records !== undefined && pluralize(records, 'record'), sizeText(message.bytes)]
  return `${begin} ${printable(parts.filter(Boolean).join(' · '))}\n`
}

function forwardedLine(forwarded: Forwarded, { green, red }: Terminal['out']): string {
  if ('error' in forwarded) return `  → ${red(printable(forwarded.error))} after ${forwarded.durationMs} ms\n`
  const colour = forwarded.status >= 200 && forwarded.status < 300 ? green : red
  return `  → ${colour(String(forwarded.status))} in ${forwarded.durationMs} ms\n`
}

function sizeText(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} KB`
}
