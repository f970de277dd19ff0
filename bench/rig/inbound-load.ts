import { createHmac, randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { quantile } from '../measure/statistics.ts'
import { servePart } from './part.ts'

/** Signed events, each another one, from a process of their own. */

export interface InboundLoad {
  url: string
  secret: string
  connections: number
  ms: number
  /** So many a second, whatever the answers take; as many as the connections carry when absent. */
  perSecond?: number
}

export interface InboundLoaded {
  sent: number
  perSecond: number
  /** Milliseconds of each answer from when it should have been asked for, in order. */
  p50: number
  p99: number
}

const record = { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0000', about: 'x'.repeat(600) }

interface Signed {
  headers: Record<string, string>
  body: string
}

/** Made before the clock runs: the sender shares the processors with whom it asks. */
function signedEvents(secret: string, count: number): Signed[] {
  const time = `${Math.floor(Date.now() / 1000)}`
  return Array.from({ length: count }, () => {
    const event = { id: randomUUID(), type: 'contact.updated', account: 'acme', record: { id: '1', ...record } }
    const body = JSON.stringify(event)
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
    return { headers: { 'content-type': 'application/json', 'x-signature': signature, 'x-time': time }, body }
  })
}

/** A round in which the connections set the pace ends sooner where a machine answers more. */
const mostPerMs = 12

/** Kept from run to run: a provider's connections are there already. */
let kept: Pool | undefined

async function run({ url, secret, connections, ms, perSecond }: InboundLoad): Promise<InboundLoaded> {
  const { origin, pathname } = new URL(url)
  kept ??= new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: 60_000 })
  const pool = kept
  const events = signedEvents(secret, perSecond === undefined ? ms * mostPerMs : (perSecond * ms) / 1000)
  // Of numbers alone, and no promise for each request: what this process would collect would count as time of whom it
  // asks.
  const times = new Float64Array(events.length)
  // Else the first collection under the clock would move all events that wait.
  globalThis.gc?.()
  const began = performance.now()
  const sent = await (perSecond === undefined
    ? sendMost(pool, pathname, events, { connections, until: began + ms, times })
    : sendPaced(pool, pathname, events, { perSecond, times }))
  const tookMs = performance.now() - began
  const inOrder = times.subarray(0, sent).sort()
  return { sent, perSecond: sent / (tookMs / 1000), p50: quantile(inOrder, 0.5), p99: quantile(inOrder, 0.99) }
}

/** One after the other on each connection. Answers how many were answered. */
function sendMost(
  pool: Pool,
  path: string,
  events: Signed[],
  { connections, until, times }: { connections: number; until: number; times: Float64Array },
): Promise<number> {
  let next = 0
  let answered = 0
  return new Promise((resolve, reject) => {
    const one = () => {
      const event = events[next]
      if (event === undefined || performance.now() >= until) {
        if (answered === next) resolve(answered)
        return
      }
      next++
      const from = performance.now()
      post(pool, path, event, reject, () => {
        times[answered++] = performance.now() - from
        one()
      })
    }
    for (let n = 0; n < connections; n++) one()
  })
}

/** Each when it is due, whatever the answers take: times are from then on. Answers how many were answered. */
function sendPaced(
  pool: Pool,
  path: string,
  events: Signed[],
  { perSecond, times }: { perSecond: number; times: Float64Array },
): Promise<number> {
  const began = performance.now()
  let next = 0
  let answered = 0
  return new Promise((resolve, reject) => {
    const sendDue = () => {
      const due = Math.min(events.length, Math.floor(((performance.now() - began) * perSecond) / 1000))
      for (const event of events.slice(next, due)) {
        const from = began + (next++ * 1000) / perSecond
        post(pool, path, event, reject, () => {
          times[answered++] = performance.now() - from
          if (answered === events.length) resolve(answered)
        })
      }
      if (next < events.length) setTimeout(sendDue, 1)
    }
    sendDue()
  })
}

/** Without a stream around the answer, which would cost more than the request. */
function post(
  pool: Pool,
  path: string,
  { headers, body }: Signed,
  failed: (error: Error) => void,
  answered: () => void,
): void {
  let status = 0
  pool.dispatch(
    { method: 'POST', path, headers, body },
    {
      onRequestStart() {},
      onResponseStart(_, code) {
        status = code
      },
      onResponseData() {},
      onResponseEnd() {
        if (status === 200) answered()
        else failed(new Error(`an event was answered ${status}`))
      },
      onResponseError: (_, error) => failed(error),
    },
  )
}

servePart({ run })
