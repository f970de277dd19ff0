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

async function run({ url, secret, connections, ms, perSecond }: InboundLoad): Promise<InboundLoaded> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const times: number[] = []
  const send = async (from: number) => {
    const body = JSON.stringify({
      id: randomUUID(),
      type: 'contact.updated',
      account: 'acme',
      record: { id: '1', ...record },
    })
    const time = `${Math.floor(Date.now() / 1000)}`
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-signature': signature, 'x-time': time }
    const answer = await pool.request({ method: 'POST', path: pathname, headers, body })
    await answer.body.dump()
    if (answer.statusCode !== 200) throw new Error(`an event was answered ${answer.statusCode}`)
    times.push(performance.now() - from)
  }
  const began = performance.now()
  if (perSecond === undefined) {
    const one = async () => {
      while (performance.now() - began < ms) await send(performance.now())
    }
    await Promise.all(Array.from({ length: connections }, one))
  } else {
    const under: Promise<void>[] = []
    const all = (perSecond * ms) / 1000
    while (under.length < all) {
      const due = Math.min(all, Math.floor(((performance.now() - began) * perSecond) / 1000))
      while (under.length < due) under.push(send(began + (under.length * 1000) / perSecond))
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

servePart({ run })
