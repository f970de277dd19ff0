import type { Output } from '@mortise/client'

export type Destination = Output<'getDestination'>

export const kinds: Record<string, { label: string; about: string }> = {
  webhook: { label: 'Webhook', about: 'One of your HTTPS endpoints. Each message is a signed POST.' },
  'redis-stream': { label: 'Redis stream', about: 'A stream of your Redis. Each message is an entry.' },
}

export function kindOf(type: string): string {
  return kinds[type]?.label ?? type
}

/** Why a destination gets no messages, or will not soon. */
export function reasonOf({ status, disabledReason, failureCount, nextProbeTime }: Destination): string | undefined {
  if (status === 'disabled') return disabledReason
  if (status !== 'failing') return undefined
  const failures = `${failureCount ?? 1} attempts failed in a row`
  return nextProbeTime === undefined ? `${failures}.` : `${failures}; one message is tried at a time.`
}

/** "X-Team: growth", a line for each header. */
export function linesOf(headers: Record<string, string> = {}): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** The headers of such lines, and the first line that is none. */
export function headersOf(text: string): { headers: Record<string, string>; wrong?: string } {
  const headers: Record<string, string> = {}
  for (const line of text.split('\n').filter((line) => line.trim() !== '')) {
    const colon = line.indexOf(':')
    if (colon < 1) return { headers, wrong: line }
    headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim()
  }
  return { headers }
}
