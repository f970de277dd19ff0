import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import { servePart } from './part.ts'

/**
 * Sends signed events of many customers, and receives their messages, in one process: the lag of an event is measured
 * on one clock, from when it should have been sent until its message first arrives. Requests can be answered after a
 * delay, as from another network, and a share of them with an error.
 */

export interface EventLoad {
  /** Where events are sent. */
  url: string
  secret: string
  /** Accounts of the customers, one event each in turn. */
  accounts: string[]
  ms: number
  perSecond: number
  /** How long after the last event its message may arrive. */
  arrivalMs: number
}

/** Milliseconds of each event that arrived within the time limit, and how many did not. */
export interface EventLags {
  lags: number[]
  missing: number
}

let answers = { ms: 0, failing: 0 }
let received = 0
const sentAt = new Map<string, number>()
const arrivedAfter = new Map<string, number>()

const server = createServer((request, response) => {
  const now = performance.now()
  let body = ''
  request.setEncoding('latin1')
  request.on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    const events = body.match(/lag-\d+-\d+/g) ?? []
    for (const event of events) {
      const from = sentAt.get(event)
      if (from !== undefined && !arrivedAfter.has(event)) arrivedAfter.set(event, now - from)
    }
    received++
    const status = Math.random() < answers.failing ? 500 : 204
    setTimeout(() => response.writeHead(status).end(), answers.ms)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')

let turns = 0
const pools = new Map<string, Pool>()

async function run({ url, secret, accounts, ms, perSecond, arrivalMs }: EventLoad): Promise<EventLags> {
  const { origin, pathname } = new URL(url)
  const pool = pools.get(origin) ?? new Pool(origin, { connections: 32, pipelining: 1, keepAliveTimeout: 60_000 })
  pools.set(origin, pool)
  sentAt.clear()
  arrivedAfter.clear()
  const turn = turns++
  const count = Math.round((perSecond * ms) / 1_000)
  const began = performance.now()
  const answers: Promise<unknown>[] = []
  for (let n = 0; n < count; n++) {
    const due = began + (n * 1_000) / perSecond
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const event = `lag-${turn}-${n}`
    sentAt.set(event, due)
    const account = accounts[n % accounts.length]
    answers.push(send(pool, pathname, secret, { id: event, type: 'contact.updated', account, record: { id: event } }))
  }
  await Promise.all(answers)
  const until = performance.now() + arrivalMs
  while (arrivedAfter.size < count && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50))
  return { lags: [...arrivedAfter.values()], missing: count - arrivedAfter.size }
}

async function send(pool: Pool, path: string, secret: string, event: object): Promise<void> {
  const time = `${Math.floor(Date.now() / 1_000)}`
  const body = JSON.stringify(event)
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-signature': signature, 'x-time': time }
  const answer = await pool.request({ method: 'POST', path, headers, body })
  await answer.body.dump()
  if (answer.statusCode !== 200) throw new Error(`an event was answered ${answer.statusCode}`)
}

servePart({
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  /** How long requests take, and the share that fails. */
  answers(wanted: typeof answers) {
    answers = wanted
  },
  received: () => received,
  run,
})
