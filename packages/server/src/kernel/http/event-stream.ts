import { Readable } from 'node:stream'

export const eventStreamType = 'text/event-stream'

/**
 * Nothing on the way keeps it or waits for more of it; the connection is not used again, so that a server that stops
 * can close it.
 */
export const eventStreamHeaders = { 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' }

/** One event of a stream, as the standard names its fields (HTML, 9.2.6). */
export interface ServerEvent {
  /** What `Last-Event-ID` names when the client comes back. */
  id: string
  event?: string
  /** Sent as JSON; text as it is. */
  data: unknown
}

export interface EventStreamOptions {
  /** `input.signal`: ends when the client goes away, and when the server stops. */
  signal: AbortSignal
  /**
   * Events in order. It is asked for the next one when the client has taken the one before, and should end with
   * `signal`.
   */
  source: AsyncIterable<ServerEvent>
  /** How often a silent stream shows that it lives, so that nothing between here and the client closes it. */
  heartbeatMs?: number
  /** How long a client waits before it comes back. */
  retryMs?: number
}

/**
 * Server-sent events: the answer of an endpoint that declares `produces: 'text/event-stream'`. Ends when the source or
 * the signal does; a source that fails breaks the answer off, so that the client comes back with `Last-Event-ID`.
 */
export function eventStream({ signal, source, heartbeatMs = 15_000, retryMs = 2_000 }: EventStreamOptions): Readable {
  return Readable.from(frames(source, signal, heartbeatMs, retryMs), { objectMode: false, highWaterMark: 16 * 1024 })
}

/**
 * The id of the last event that the client has, from the header `Last-Event-ID`; undefined when it begins, or sends
 * nonsense.
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
    // At once, so that the client sees an open stream before there is an event.
    yield `retry: ${retryMs}\n\n`
    while (!signal.aborted) {
      const next = events.next()
      let settled = false
      const done = next.finally(() => {
        settled = true
      })
      // Also when the stream ends before it does.
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
    // Not awaited: a source that waits for something ends when that comes, and by then nobody listens.
    events.return?.().catch(() => {})
  }
}

/** A line break would end a field; in data it begins another line of the same. */
function frame({ id, event, data }: ServerEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `id: ${oneLine(id)}\n${event === undefined ? '' : `event: ${oneLine(event)}\n`}${lines.join('')}\n`
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, '')
}
