import { randomUUID } from 'node:crypto'
import { Client, type Dispatcher } from 'undici'
import { servePart } from './part.ts'

/** Requests that each create a connection of their own, from a process of their own. */

export interface Creations {
  /** Origin and path. */
  url: string
  headers: Record<string, string>
  /** Where the connected accounts are. */
  providerUrl: string
  connections: number
  ms: number
}

export interface Created {
  requests: number
  perSecond: number
}

async function run({ url, headers, providerUrl, connections, ms }: Creations): Promise<Created> {
  const { origin, pathname } = new URL(url)
  const began = performance.now()
  let requests = 0
  const one = async () => {
    const client = new Client(origin, { pipelining: 1 })
    try {
      while (performance.now() < began + ms) {
        const ref = randomUUID()
        const body = JSON.stringify({
          groupRef: `group-${ref}`,
          groupName: 'A customer',
          consumerRef: `consumer-${ref}`,
          consumerName: 'A person',
          provider: 'benchCrm',
          apiKey: `key-${ref}`,
          providerMetadata: { url: providerUrl, pages: '1' },
        })
        const sent = { ...headers, 'content-type': 'application/json', 'idempotency-key': ref }
        await post(client, { path: pathname, headers: sent, body })
        requests++
      }
    } finally {
      await client.close()
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  return { requests, perSecond: requests / ((performance.now() - began) / 1000) }
}

/** Without a stream around the answer, which would cost more than the request. */
function post(
  client: Client,
  { path, headers, body }: { path: string; headers: Record<string, string>; body: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0
    const chunks: Buffer[] = []
    const handler: Dispatcher.DispatchHandler = {
      // Without it, undici takes the handler for one of its older form.
      onRequestStart() {},
      onResponseStart(_, code) {
        status = code
      },
      onResponseData(_, chunk) {
        chunks.push(chunk)
      },
      onResponseEnd() {
        if (status === 201) resolve()
        else reject(new Error(`${path} answered ${status} ${Buffer.concat(chunks)}`))
      },
      onResponseError(_, error) {
        reject(error)
      },
    }
    client.dispatch({ method: 'POST', path, headers, body }, handler)
  })
}

servePart({ run })
