import type { EndpointReply } from './exchange.ts'

/** Ends when the connection closes before the answer has been sent whole. */
export function abortSignal(reply: Pick<EndpointReply, 'raw'>): AbortSignal {
  const controller = new AbortController()
  const { raw } = reply
  const abort = () => {
    if (!raw.writableFinished) controller.abort(new Error('the client went away'))
  }
  if (raw.destroyed) abort()
  else raw.once('close', abort)
  return controller.signal
}

/**
 * Of a stream of events: ends with the connection in any case, and when the server stops, which waits for answers to
 * end.
 */
export function streamSignal(reply: Pick<EndpointReply, 'raw'>, stopping: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (reply.raw.destroyed || stopping.aborted) abort()
  stopping.addEventListener('abort', abort)
  reply.raw.once('close', () => {
    stopping.removeEventListener('abort', abort)
    abort()
  })
  return controller.signal
}
