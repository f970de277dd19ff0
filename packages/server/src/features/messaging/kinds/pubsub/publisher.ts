import type { createGoogleCalls } from '../google.ts'

type Call = ReturnType<typeof createGoogleCalls>
type Answer = Awaited<ReturnType<Call>>

export interface PubSubMessage {
  data: Buffer
  attributes: Record<string, string>
  orderingKey?: string
}

export interface Publisher {
  /**
   * Publishes messages once, by the calls of their `send`.
   *
   * @returns the answer, or what it means that there is no access token
   * @throws OutboundError if there was no answer
   */
  publish(messages: PubSubMessage[], call: Call): Promise<Answer>
}

/** Of one request of the client: the calls of its `send`, and their last answer. */
interface Exchange {
  call: Call
  answer?: Answer
}

/** Names the exchange of a request. It is not sent. */
const exchangeHeader = 'mortise-exchange'

/**
 * Creates a client of Pub/Sub for a topic. It speaks REST, and makes its requests by the calls of a `send`: with the
 * address guard, its deadline and its limit. So nothing of the environment says where requests go.
 *
 * @param topic full name: `projects/…/topics/…`
 */
export async function createPublisher(endpoint: URL, topic: string): Promise<Publisher> {
  // Without the subscriber and the rest of the package, which take 14 MB.
  const { PublisherClient } = await import('@google-cloud/pubsub/build/src/v1/publisher_client.js')
  const exchanges = new Map<string, Exchange>()
  const client = new PublisherClient({
    fallback: true,
    protocol: endpoint.protocol.slice(0, -1),
    servicePath: endpoint.hostname,
    port: Number(endpoint.port) || (endpoint.protocol === 'http:' ? 80 : 443),
    universeDomain: 'googleapis.com',
    // The client expects one of Google's classes, and uses nothing but these methods.
    auth: { getRequestHeaders: unused, fetch: fetchBy(exchanges) } as never,
  })
  // GOOGLE_SDK_NODE_LOGGING would write messages to the console.
  Reflect.set(client, '_log', { info: () => undefined })
  let count = 0
  return {
    async publish(messages, call) {
      const exchange: Exchange = { call }
      const id = String(count++)
      exchanges.set(id, exchange)
      try {
        // Delivery decides what is tried again, and has collected messages already.
        const options = { retry: null, isBundling: false, otherArgs: { headers: { [exchangeHeader]: id } } }
        await client.publish({ topic, messages }, options)
      } catch (error) {
        if (exchange.answer === undefined) throw error
      } finally {
        exchanges.delete(id)
      }
      if (exchange.answer === undefined) throw new TypeError('The client sent no request.')
      return exchange.answer
    },
  }
}

const unused = () => Promise.reject(new TypeError('Calls have their own credentials.'))

interface FetchInit {
  method: string
  headers: Headers
  body: string
}

/** A `fetch` for the client: makes each request by the calls of its exchange. */
function fetchBy(exchanges: ReadonlyMap<string, Exchange>) {
  return async (url: string, init: FetchInit) => {
    const { [exchangeHeader]: id = '', ...headers } = Object.fromEntries(init.headers)
    const exchange = exchanges.get(id)
    if (exchange === undefined || init.method !== 'POST') throw new TypeError('The client may only publish.')
    const answer = await exchange.call({ url: new URL(url), headers, body: init.body })
    exchange.answer = answer
    // The client would parse all of its protocol to read an error.
    if ('outcome' in answer || answer.status !== 200) throw new TypeError('The messages were not published.')
    return { ok: true, status: answer.status, arrayBuffer: async () => answer.body }
  }
}
