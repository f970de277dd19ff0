import type { IncomingMessage, ServerResponse } from 'node:http'
import type {
  FlowControl,
  OutboundPassThrough,
  PassThroughRequest,
  ResponseReceiver,
} from '../../../kernel/net/index.ts'
import type { ResponseWatch } from './cost-watch.ts'
import { answerHeaders } from './passed-headers.ts'

export interface Passage {
  request: IncomingMessage
  response: ServerResponse
  /** Returns whether a response refuses the credential. */
  refuses(status: number, headers: Buffer[]): boolean
  /** Called before such a response is passed through. Returns true to send the request once more instead. */
  again(): Promise<boolean>
  /** Adds headers to those of the response, alternating names and values. */
  add(passed: string[], status: number, headers: Buffer[]): void
  /** Watches what is passed through. */
  watch: ResponseWatch | undefined
}

/** The first bytes of a response are buffered until the end of their tick, up to this size. */
const oneWriteBytesMax = 16 * 1024

export type Passed = { status: number; bytes: number } | 'again' | 'left'

/**
 * Sends a request to the provider and streams its response to the client: it reads a chunk after the client has read
 * the one before. Resolves when the response is complete, when the request must be sent again, or when the client has
 * disconnected.
 *
 * @throws OutboundError before the response began. Later failures close the client's connection, the only way to show
 *   that the response is incomplete
 */
export function passOn(outbound: OutboundPassThrough, wire: PassThroughRequest, passage: Passage): Promise<Passed> {
  return new Promise((resolve, reject) => {
    const passing = new Passing(passage, resolve, reject)
    passing.begin(outbound.send(wire, passing))
  })
}

class Passing implements ResponseReceiver {
  readonly #passage: Passage
  readonly #resolve: (passed: Passed) => void
  readonly #reject: (error: Error) => void
  #flow: FlowControl | undefined
  #status = 0
  #bytes = 0
  /**
   * First chunk of the body, buffered until the next one arrives or the tick ends. A small response is complete by
   * then.
   */
  #first: Buffer | undefined
  #flushed = false
  #drains = false
  /**
   * Data that arrived during the decision whether to send again. A paused connection delivers little, and a HEAD its
   * end.
   */
  #buffered: { chunks: Buffer[]; ended: boolean } | undefined

  constructor(passage: Passage, resolve: (passed: Passed) => void, reject: (error: Error) => void) {
    this.#passage = passage
    this.#resolve = resolve
    this.#reject = reject
  }

  begin(flow: FlowControl): void {
    this.#flow = flow
    const { response } = this.#passage
    if (response.destroyed) this.#onClose()
    else response.on('close', this.#onClose)
  }

  readonly #onDrain = (): void => this.#flow?.resume()

  readonly #onClose = (): void => {
    this.#flow?.stop()
    this.#settle('left')
  }

  head(status: number, headers: Buffer[]): void {
    if (this.#passage.refuses(status, headers)) void this.#decide(status, headers)
    else this.#begin(status, headers)
  }

  async #decide(status: number, headers: Buffer[]): Promise<void> {
    const buffered = { chunks: [] as Buffer[], ended: false }
    this.#buffered = buffered
    this.#flow?.pause()
    const again = await this.#passage.again()
    if (this.#passage.response.destroyed) return
    this.#buffered = undefined
    if (again) {
      this.#flow?.stop()
      return this.#settle('again')
    }
    try {
      this.#begin(status, headers)
    } catch (error) {
      this.#flow?.stop()
      return this.fail(error as Error)
    }
    for (const chunk of buffered.chunks) this.data(chunk)
    if (buffered.ended) this.end()
    else this.#flow?.resume()
  }

  #begin(status: number, headers: Buffer[]): void {
    const { request, response } = this.#passage
    this.#status = status
    const passed = answerHeaders(headers)
    this.#passage.add(passed, status, headers)
    this.#passage.watch?.head(headers)
    // Nothing reads the rest of the request's body once the response is complete.
    if (!request.complete) passed.push('Connection', 'close')
    response.writeHead(status, passed)
    // Joins the headers with the first bytes of the body if those arrived in the same tick. Otherwise it sends them
    // alone, because the body may take long, as with events.
    process.nextTick(flush, this)
  }

  data(chunk: Buffer): void {
    if (this.#buffered) {
      this.#buffered.chunks.push(chunk)
      return
    }
    this.#bytes += chunk.length
    this.#passage.watch?.data(chunk)
    if (this.#bytes <= oneWriteBytesMax && this.#bytes === chunk.length && !this.#flushed) {
      this.#first = chunk
      return
    }
    this.#writeFirst()
    this.#write(chunk)
  }

  #write(chunk: Buffer): void {
    this.#flushed = true
    if (this.#passage.response.write(chunk)) return
    this.#flow?.pause()
    this.#drains = true
    this.#passage.response.once('drain', this.#onDrain)
  }

  #writeFirst(): void {
    if (this.#first) this.#write(this.#first)
    this.#first = undefined
  }

  /** Sends what is buffered when the tick of the headers ends. */
  flush(): void {
    const { response } = this.#passage
    if (this.#flushed || response.writableEnded || response.destroyed) return
    this.#flushed = true
    if (this.#first) this.#writeFirst()
    else response.flushHeaders()
  }

  end(): void {
    if (this.#buffered) {
      this.#buffered.ended = true
      return
    }
    const { response } = this.#passage
    // Node joins a latin1 string of the same bytes with the headers: one plain system call. Two buffers take a vectored
    // one that costs twice as much.
    if (this.#first) response.end(this.#first.toString('latin1'), 'latin1')
    else response.end()
    this.#first = undefined
    this.#passage.watch?.end()
    this.#settle({ status: this.#status, bytes: this.#bytes })
  }

  fail(error: Error): void {
    const { response } = this.#passage
    if (!response.headersSent) {
      this.#detach()
      this.#reject(error)
      return
    }
    response.destroy()
    this.#settle({ status: this.#status, bytes: this.#bytes })
  }

  #settle(passed: Passed): void {
    this.#detach()
    this.#resolve(passed)
  }

  #detach(): void {
    const { response } = this.#passage
    if (this.#drains) response.off('drain', this.#onDrain)
    response.off('close', this.#onClose)
  }
}

function flush(passing: Passing): void {
  passing.flush()
}
