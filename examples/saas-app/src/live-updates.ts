import type { ServerResponse } from 'node:http'

/** Notifies open pages of a customer that something arrived, by server-sent events. */
export interface LiveUpdates {
  open(groupRef: string, response: ServerResponse): void
  notify(groupRef: string): void
  close(): void
}

/** Several messages a second are one update. */
const pauseMs = 250

export function createLiveUpdates(): LiveUpdates {
  const open = new Set<{ groupRef: string; response: ServerResponse }>()
  const waiting = new Map<string, NodeJS.Timeout>()
  return {
    open(groupRef, response) {
      const entry = { groupRef, response }
      open.add(entry)
      response.on('close', () => open.delete(entry))
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.write('retry: 1000\n\n')
    },
    notify(groupRef) {
      if (waiting.has(groupRef)) return
      const send = () => {
        waiting.delete(groupRef)
        for (const entry of open) if (entry.groupRef === groupRef) entry.response.write('event: arrived\ndata:\n\n')
      }
      waiting.set(groupRef, setTimeout(send, pauseMs))
    },
    close() {
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
      for (const { response } of open) response.end()
    },
  }
}
