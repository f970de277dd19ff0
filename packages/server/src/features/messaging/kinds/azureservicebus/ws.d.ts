/** The parts of `ws` that are used here. The package has no types. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events'
  import type { IncomingMessage } from 'node:http'
  import type { Duplex } from 'node:stream'

  export class WebSocket extends EventEmitter {
    constructor(
      url: URL,
      protocols: string[],
      options: { createConnection(): Duplex; maxPayload: number; perMessageDeflate: boolean },
    )
    binaryType: string
    readyState: number
    url: string
    onopen: (event: object) => void
    onerror: (event: object) => void
    onclose: (event: object) => void
    onmessage: (event: object) => void
    close(): void
    send(data: Uint8Array | string): void
    terminate(): void
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: { noServer: true })
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, then: (socket: WebSocket) => void): void
  }
}
