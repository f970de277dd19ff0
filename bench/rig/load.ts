import { Client, type Dispatcher } from 'undici'
import { servePart } from './part.ts'

/** Requests, one after the other on each of some connections, from a process of their own. */

export interface Load {
  /** Origin, path and query. */
  url: string
  headers: Record<string, string>
  connections: number
  ms: number
}

export interface Loaded {
  requests: number
  perSecond: number
  /** Of one answer. */
  bytes: number
}

async function run({ url, headers, connections, ms }: Load): Promise<Loaded> {
  const { origin, pathname, search } = new URL(url)
  const until = performance.now() + ms
  const began = performance.now()
  let requests = 0
  let bytes = 0
  const one = async () => {
    const client = new Client(origin, { pipelining: 1 })
    try {
      while (performance.now() < until) {
        bytes = await get(client, { path: pathname + search, headers })
        requests++
      }
    } finally {
      await client.close()
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  return { requests, bytes, perSecond: requests / ((performance.now() - began) / 1000) }
}

/** Answers the bytes of the body. Without a stream around the body, which would cost more than the request. */
function get(client: Client, { path, headers }: { path: string; headers: Record<string, string> }): Promise<number> {
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
    client.dispatch({ method: 'GET', path, headers }, handler)
  })
}

servePart({ run })
