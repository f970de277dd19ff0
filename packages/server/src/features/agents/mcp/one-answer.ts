import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'

/** A transport for one request: what its server answers is kept. It is not closed: nothing stays open or pending. */
export class OneAnswer implements Transport {
  onmessage?: Transport['onmessage']
  readonly #answered = Promise.withResolvers<JSONRPCMessage>()

  /** The response to the request. */
  get answer(): Promise<JSONRPCMessage> {
    return this.#answered.promise
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    // Clients of these revisions get notifications of a request on a stream only.
    if ('result' in message || 'error' in message) this.#answered.resolve(message)
  }

  async close(): Promise<void> {}
}
