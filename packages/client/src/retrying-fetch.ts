import pRetry, { AbortError } from 'p-retry'
import { MortiseUnreachable } from './problem.ts'

export interface RetryOptions {
  fetch: typeof globalThis.fetch
  /** Further attempts after the first. */
  retries: number
  /** Of one attempt, until its headers have arrived. */
  timeoutMs: number
}

/** Answers that say: the same request may succeed in a moment. */
const retryable = new Set([429, 502, 503, 504])
/** However long the service asks to wait. */
const waitMostMs = 30_000

class Again extends Error {
  readonly answer: Response
  constructor(answer: Response) {
    super(`HTTP ${answer.status}`)
    this.answer = answer
  }
}

/**
 * Sends a request again where that is safe: GET, PUT and DELETE have the same effect twice as once (RFC 9110, 9.2.2),
 * and a POST or PATCH has when it carries an Idempotency-Key. Waits as long as `Retry-After` says, else longer each
 * time with jitter.
 */
export function createRetryingFetch({
  fetch,
  retries,
  timeoutMs,
}: RetryOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const safe = !['POST', 'PATCH'].includes(request.method) || request.headers.has('idempotency-key')
    let lost = false
    const attempt = async (): Promise<Response> => {
      const answer = await send(fetch, request, timeoutMs).catch((error: unknown) => {
        if (request.signal.aborted) throw new AbortError(request.signal.reason as Error)
        lost = true
        throw new MortiseUnreachable(`${new URL(request.url).origin} cannot be reached: ${reasonOf(error)}`, {
          cause: error,
        })
      })
      // The attempt before it may have deleted it, and its answer was lost on the way.
      if (lost && request.method === 'DELETE' && answer.status === 404) return new Response(null, { status: 204 })
      if (retryable.has(answer.status)) throw new Again(answer)
      return answer
    }
    try {
      return await pRetry(attempt, {
        retries: safe ? retries : 0,
        minTimeout: 200,
        maxTimeout: 5_000,
        randomize: true,
        signal: request.signal,
        shouldRetry: async ({ error }) => {
          if (!(error instanceof Again)) return true
          const waitMs = retryAfterMs(error.answer)
          if (waitMs > waitMostMs) return false
          await wait(waitMs, request.signal)
          return true
        },
      })
    } catch (error) {
      if (error instanceof Again) return error.answer
      throw error
    }
  }
}

async function send(fetch: typeof globalThis.fetch, request: Request, timeoutMs: number): Promise<Response> {
  // The timer ends with the headers: a body may stream for as long as it likes.
  const timer = new AbortController()
  const timeout = setTimeout(() => timer.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  try {
    return await fetch(request.clone(), { signal: AbortSignal.any([request.signal, timer.signal]) })
  } finally {
    clearTimeout(timeout)
  }
}

/** Milliseconds that an answer asks to wait: `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). */
function retryAfterMs(answer: Response): number {
  const value = answer.headers.get('retry-after')
  if (value === null) return 0
  const seconds = Number(value)
  return Math.max(0, Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000) || 0
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** `fetch` of Node hides the reason one level down. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message
}
