import { Client, type Dispatcher } from 'undici'
import { median } from '../measure/statistics.ts'
import { servePart } from './part.ts'

/** Requests, one after the other on each of some connections, from a process of their own. */

export interface Load {
  /** Origin, path and query. */
  url: string
  headers: Record<string, string>
  /** Sent by POST. */
  body?: string
  connections: number
  ms: number
}

export interface Loaded {
  requests: number
  perSecond: number
  /** Of one answer. */
  bytes: number
}

async function run({ url, headers, body, connections, ms }: Load): Promise<Loaded> {
  const { origin, pathname, search } = new URL(url)
  const until = performance.now() + ms
  const began = performance.now()
  let requests = 0
  let bytes = 0
  const one = async () => {
    const client = new Client(origin, { pipelining: 1 })
    try {
      while (performance.now() < until) {
        bytes = await get(client, { path: pathname + search, headers, ...(body !== undefined && { body }) })
        requests++
      }
    } finally {
      await client.close()
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  return { requests, bytes, perSecond: requests / ((performance.now() - began) / 1000) }
}

/** One path at two origins. */
export interface Turns {
  origins: [string, string]
  path: string
  headers: Record<string, string>
  ms: number
}

/** In the order of the origins. */
export interface Taken {
  /** The middle of the times of one answer. */
  ms: [number, number]
  /** Of one answer. */
  bytes: [number, number]
  /** Pairs of requests. */
  pairs: number
}

/**
 * One request at a time, each side first in every other pair: what disturbs the machine for longer than a request
 * disturbs both.
 */
async function inTurns({ origins, path, headers, ms }: Turns): Promise<Taken> {
  const until = performance.now() + ms
  const clientOf = (origin: string) => new Client(origin, { pipelining: 1 })
  const clients = [clientOf(origins[0]), clientOf(origins[1])] as const
  const times: [number[], number[]] = [[], []]
  const bytes: [number, number] = [0, 0]
  let pairs = 0
  for (; performance.now() < until; pairs++)
    for (const side of pairs % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const began = performance.now()
      bytes[side] = await get(clients[side], { path, headers })
      times[side].push(performance.now() - began)
    }
  await Promise.all(clients.map((client) => client.close()))
  return { ms: [median(times[0]), median(times[1])], bytes, pairs }
}

/** Answers the bytes of the body. Without a stream around the body, which would cost more than the request. */
function get(
  client: Client,
  { path, headers, body }: { path: string; headers: Record<string, string>; body?: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0
    let bytes = 0
    const handler: Dispatcher.DispatchHandler = {
      // Without it, undici takes the handler for one of its older form.
      onRequestStart() {},
      onResponseStart(_, code) {
        status = code
      },
      onResponseData(_, chunk) {
        bytes += chunk.length
      },
      onResponseEnd() {
        if (status === 200) resolve(bytes)
        else reject(new Error(`${path} answered ${status}`))
      },
      onResponseError(_, error) {
        reject(error)
      },
    }
    client.dispatch({ method: body === undefined ? 'GET' : 'POST', path, headers, body: body ?? null }, handler)
  })
}

servePart({ run, inTurns })
