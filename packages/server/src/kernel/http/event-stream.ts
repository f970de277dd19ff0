import { Readable } from 'node:stream'

export const eventStreamType = 'text/event-stream'

/** Prevents caches and buffering on the way. The connection is not reused, so that a server that stops can close it. */
export const eventStreamHeaders = { 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' }

/** One event of a stream, with the field names of the standard (HTML, 9.2.6). */
export interface ServerEvent {
  /** The client sends it as `Last-Event-ID` when it reconnects. */
  id: string
  event?: string
  /** Sent as JSON; a string as it is. */
  data: unknown
}

export interface EventStreamOptions {
  /** `input.signal`: aborts when the client disconnects, and when the server stops. */
  signal: AbortSignal
  /**
   * Events in order. The next one is requested after the client has received the previous one. It should end with
   * `signal`.
   */
  source: AsyncIterable<ServerEvent>
  /** Interval of heartbeats on an idle stream, which keep proxies and the client from closing it. */
  heartbeatMs?: number
  /** How long a client waits before it reconnects. */
  retryMs?: number
}

/**
 * Returns server-sent events: the response of an endpoint that declares `produces: 'text/event-stream'`. It ends when
 * the source or the signal does. When the source fails, the response is cut, and the client reconnects with
 * `Last-Event-ID`.
 */
export function eventStream({ signal, source, heartbeatMs = 15_000, retryMs = 2_000 }: EventStreamOptions): Readable {
  return Readable.from(frames(source, signal, heartbeatMs, retryMs), { objectMode: false, highWaterMark: 16 * 1024 })
}

/**
 * Returns the id of the last event that the client received, from the header `Last-Event-ID`; undefined for a new
 * client or an invalid header.
 */
export function lastEventId(headers: Record<string, string | string[] | undefined>): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' && /^[\x21-\x7e]{1,512}$/.test(id) ? id : undefined
}

async function* frames(
  source: AsyncIterable<ServerEvent>,
  signal: AbortSignal,
  heartbeatMs: number,
  retryMs: number,
): AsyncGenerator<string> {
  const events = source[Symbol.asyncIterator]()
  let wake = () => {}
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  try {
    // Sent immediately, so that the client sees an open stream before the first event.
    yield `retry: ${retryMs}\n\n`
    while (!signal.aborted) {
      const next = events.next()
      let settled = false
      const done = next.finally(() => {
        settled = true
      })
      // Handles the rejection also when the stream ends first.
      done.catch(() => {})
      while (!settled && !signal.aborted) {
        let timer: NodeJS.Timeout | undefined
        const pause = new Promise<void>((resolve) => {
          wake = resolve
          timer = setTimeout(resolve, heartbeatMs)
        })
        await Promise.race([done.then(() => {}), pause]).finally(() => clearTimeout(timer))
        if (!settled && !signal.aborted) yield ': alive\n\n'
      }
      if (signal.aborted) return
      const { done: ended, value } = await next
      if (ended) return
      yield frame(value)
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: a source that waits for something ends when that arrives, and nobody needs the result.
    events.return?.().catch(() => {})
  }
}

/** A line break would end a field. In data, it begins another line of the same field. */
function frame({ id, event, data }: ServerEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `id: ${oneLine(id)}\n${event === undefined ? '' : `event: ${oneLine(event)}\n`}${lines.join('')}\n`
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, '')
}
