import type { ServerResponse } from 'node:http'
import { askedWaitMs, attachedHeaders, refusesCredential } from '@mortise/providers'
import type { PassThroughInput } from '../../../kernel/http/index.ts'
import type { OutboundPassThrough, PassThroughRequest } from '../../../kernel/net/index.ts'
import type { ConcurrencyLimit, RateLimiter, SharedLimits } from '../../../kernel/rate-limits/index.ts'
import { type ConnectionHandle, classifyFailure } from '../calls/index.ts'
import { type Base, behind } from './base-of.ts'
import { watchCost } from './cost-watch.ts'
import { type Passage, type Passed, passOn } from './pass-on.ts'
import { requestHeaders } from './passed-headers.ts'
import { ProxyBusy } from './problems.ts'
import { withQuery } from './provider-path.ts'
import { RequestBody } from './request-body.ts'
import type { TargetRow } from './target-store.ts'
import { throttleHeaders } from './throttle-headers.ts'
import type { Waits } from './waits.ts'

/** How long a call waits for a permit. */
const permitMs = 10_000
/** How long a caller may send no byte of its body before the call fails. */
const stallMs = 60_000

export interface SendServices {
  outbound: OutboundPassThrough
  limits: SharedLimits
  waits: Waits
  now: () => Date
  /** Maximum concurrent requests per connection, across all nodes. */
  concurrency: number
  baseOf: (handle: ConnectionHandle, module: string | undefined) => Base
  /** Called for each request that was sent to the provider. Network errors and a status of 400 or more are failures. */
  sent: (target: TargetRow, projectId: string, isFailure: boolean) => void
}

interface Prepared {
  slots: ConcurrencyLimit
  refusal: ReturnType<typeof refusesCredential>
}

export interface Sending {
  input: PassThroughInput
  path: string
  target: TargetRow
  handle: ConnectionHandle
  throttles: boolean
}

/**
 * Returns a function that sends one call, and once more if the provider refuses the credential and another one can
 * help. It returns the bytes sent and received.
 */
export function createSend(services: SendServices) {
  const { limits, waits, now, concurrency, baseOf } = services
  const known = new WeakMap<ConnectionHandle, Prepared>()

  /** Returns what all calls of a connection share. It is made once for each state of the connection. */
  function preparedFor(handle: ConnectionHandle): Prepared {
    const before = known.get(handle)
    if (before?.slots.isForgotten === false) return before
    const prepared = {
      slots: limits.concurrency(handle.projectId, `calls:${handle.id}`, concurrency),
      refusal: refusesCredential(handle.entry.file?.errors),
    }
    known.set(handle, prepared)
    return prepared
  }

  async function waitForSlot(slots: ConcurrencyLimit, response: ServerResponse): Promise<void> {
    if (!(await whileThere(response, (signal) => slots.acquire(permitMs, signal)))) throw busy()
  }

  async function waitForPermit({ handle: live, input }: Sending, rateLimiter: RateLimiter): Promise<void> {
    if (await whileThere(input.response, (signal) => rateLimiter.take(permitMs, { signal }))) return
    input.log.debug({ connectionId: live.id }, 'rate limit of the provider exceeded')
    throw busy()
  }
  const busy = () => new ProxyBusy({ retryAfter: new Date(now().getTime() + 1_000) })

  return async (sending: Sending): Promise<{ out: number; in: number }> => {
    const { input, handle: live, target, throttles } = sending
    const { request, response, requestId } = input
    const { defaultModule } = live.entry
    const base = baseOf(live, target.proxy?.useModule === true ? (target.module ?? defaultModule) : undefined)
    const path = behind(base, sending.path)
    const body = RequestBody.of(request, stallMs)
    const { slots, refusal } = preparedFor(live)
    const refuses = (status: number, headers: Buffer[]) => refusal(status, () => headersByName(headers))
    if (!slots.tryAcquire()) await waitForSlot(slots, response)
    try {
      const rateLimiter = live.rateLimiter({ method: request.method ?? 'GET', url: path })
      if (rateLimiter) await waitForPermit(sending, rateLimiter)
      for (let isLast = false; ; isLast = true) {
        const credential = live.attached() ?? (await whileThere(response, (signal) => live.authenticate({ signal })))
        if (response.destroyed) return { out: 0, in: 0 }
        const sent = withQuery(path, credential.query)
        const attached = attachedHeaders(credential, `${base.origin}${sent}`)
        const passed = await passCounted(
          services,
          sending,
          {
            origin: base.origin,
            path: sent,
            method: request.method ?? 'GET',
            headers: requestHeaders(request.rawHeaders, request.headers, attached, input.credential),
            body: body?.open() ?? null,
            project: live.projectId,
          },
          {
            request,
            response,
            refuses,
            watch: watchCost(live, now),
            async again() {
              // Reported even for the last attempt, because the refusal concerns the connection's status.
              const isThereAnother = await whileThere(response, (signal) =>
                live.refused(credential.generation, { signal }),
              ).catch((error: unknown) => {
                if (classifyFailure(error).scope === 'service')
                  input.log.warn({ err: error }, 'failed to report a refused credential')
                return false
              })
              return isThereAnother && !isLast && (body?.canBeSentAgain ?? true)
            },
            add(passed, status, headers) {
              passed.push('X-Mortise-Request-Id', requestId)
              if (live.status !== 'working' && status < 500 && !refuses(status, headers))
                live
                  .succeeded(credential.generation)
                  .catch((error: unknown) => input.log.warn({ err: error }, 'failed to report the use of a connection'))
              if (status !== 429 || !throttles) return
              const wait = askedWaitMs(
                live.entry.file?.errors ?? {},
                (name) => headerIn(headers, name),
                now().getTime(),
              )
              const until = waits.asked(live.projectId, live.id, wait)
              passed.push(...Object.entries(throttleHeaders(until)).flat())
            },
          },
        )
        if (passed !== 'again') return { out: body?.bytes ?? 0, in: passed === 'left' ? 0 : passed.bytes }
      }
    } finally {
      slots.release()
    }
  }
}

/** Passes one request on, and reports it as sent. */
async function passCounted(
  { outbound, sent }: Pick<SendServices, 'outbound' | 'sent'>,
  { target, handle }: Sending,
  wire: PassThroughRequest,
  passage: Passage,
): Promise<Passed> {
  let isFailure = true
  try {
    const passed = await passOn(outbound, wire, passage)
    isFailure = passed === 'again' || (passed !== 'left' && passed.status >= 400)
    return passed
  } finally {
    sent(target, handle.projectId, isFailure)
  }
}

/**
 * Runs work that may wait, with a signal that aborts when the caller disconnects. Most calls do not wait, and need
 * none.
 */
async function whileThere<T>(response: ServerResponse, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const disconnected = new AbortController()
  const leave = () => disconnected.abort()
  if (response.destroyed) leave()
  response.once('close', leave)
  try {
    return await work(disconnected.signal)
  } finally {
    response.off('close', leave)
  }
}

/** Headers by lower-case name. A refusal does not depend on a header that is repeated. */
function headersByName(headers: Buffer[]): Record<string, string> {
  const named: Record<string, string> = Object.create(null)
  for (let at = 0; at + 1 < headers.length; at += 2)
    named[headers[at]?.toString('latin1').toLowerCase() ?? ''] = headers[at + 1]?.toString('latin1') ?? ''
  return named
}

function headerIn(headers: Buffer[], name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at]?.toString('latin1').toLowerCase() === name) return headers[at + 1]?.toString('latin1')
  return undefined
}
