import { createHmac, randomUUID } from 'node:crypto'
import { Pool } from 'undici'
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

/** More than any machine answers, for when the connections set the pace. */
const mostPerMs = 8

async function run({ url, secret, connections, ms, perSecond }: InboundLoad): Promise<InboundLoaded> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const events = signedEvents(secret, perSecond === undefined ? ms * mostPerMs : (perSecond * ms) / 1000)
  const times: number[] = []
  const send = async (event: Signed, from: number) => {
    await post(pool, pathname, event)
    times.push(performance.now() - from)
  }
  const began = performance.now()
  let next = 0
  if (perSecond === undefined) {
    const one = async () => {
      while (performance.now() - began < ms) await send(events[next++]!, performance.now())
    }
    await Promise.all(Array.from({ length: connections }, one))
  } else {
    const under: Promise<void>[] = []
    while (next < events.length) {
      const due = Math.min(events.length, Math.floor(((performance.now() - began) * perSecond) / 1000))
      while (next < due) under.push(send(events[next]!, began + (next++ * 1000) / perSecond))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await Promise.all(under)
  }
  const tookMs = performance.now() - began
  await pool.close()
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { sent: times.length, perSecond: times.length / (tookMs / 1000), p50: at(0.5), p99: at(0.99) }
}

/** Without a stream around the answer, which would cost more than the request. */
function post(pool: Pool, path: string, { headers, body }: Signed): Promise<void> {
  return new Promise((resolve, reject) => {
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
          if (status === 200) resolve()
          else reject(new Error(`an event was answered ${status}`))
        },
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}

servePart({ run })
