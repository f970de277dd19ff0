import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { CallOptions, OperationId } from './operation-types.ts'
import { MortiseUnreachable } from './problem.ts'
import type { AnyInput } from './request.ts'

/** One event of a stream (HTML standard, 9.2). */
export interface StreamEvent {
  id: string | undefined
  /** The kind of event; `message` when it names none. */
  event: string
  /** Parsed where it is JSON. */
  data: unknown
}

type Send = (id: OperationId, input: AnyInput, options: CallOptions) => Promise<Response>

/** Between the end of a connection and the next one. */
const reconnectMs = 1_000

/**
 * Yields the events of a stream over as many connections as needed; each resumes after the last event of the previous
 * one.
 */
export async function* follow(
  send: Send,
  id: OperationId,
  input: AnyInput = {},
  { lastEventId, signal, ...options }: CallOptions & { lastEventId?: string } = {},
): AsyncGenerator<StreamEvent> {
  let last = lastEventId
  for (;;) {
    const headers = {
      ...options.headers,
      accept: 'text/event-stream',
      ...(last !== undefined && { 'last-event-id': last }),
    }
    try {
      const answer = await send(id, input, { ...options, headers, ...(signal && { signal }) })
      if (!answer.body) return
      const events = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
      const reader = events.getReader()
      // The platform may forget what ties a body to the signal of its request once the request is collected.
      const stop = () => void reader.cancel().catch(() => {})
      signal?.addEventListener('abort', stop)
      if (signal?.aborted) stop()
      try {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) break
          last = value.id ?? last
          yield { id: value.id, event: value.event ?? 'message', data: parsed(value.data) }
        }
      } finally {
        signal?.removeEventListener('abort', stop)
        await reader.cancel().catch(() => {})
      }
    } catch (error) {
      if (signal?.aborted) return
      // A broken connection is opened again; a refused request is not repeated.
      if (!(error instanceof TypeError || error instanceof MortiseUnreachable)) throw error
    }
    if (signal?.aborted) return
    await new Promise((resolve) => setTimeout(resolve, reconnectMs))
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}
