import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { ProxyBodyStalled } from './problems.ts'

/** Of a body, this much is kept until it is known whether the provider wants it again. */
export const keptBytesMax = 64 * 1024

/**
 * The body of a request on its way through. It can be sent again as long as nothing of it has been let go: a body of at
 * most 64 KB, or a longer one of which no more has arrived yet.
 */
export class RequestBody {
  readonly #source: IncomingMessage
  readonly #stallMs: number
  #kept: Buffer[] | undefined = []
  #keptBytes = 0
  #ended = false
  /** Ends the one that is being sent. */
  #detach: () => void = () => undefined
  bytes = 0

  /** Undefined for a request without a body. */
  static of(source: IncomingMessage, stallMs: number): RequestBody | undefined {
    const { headers } = source
    if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return undefined
    return new RequestBody(source, stallMs)
  }

  private constructor(source: IncomingMessage, stallMs: number) {
    this.#source = source
    this.#stallMs = stallMs
  }

  get canBeSentAgain(): boolean {
    return this.#kept !== undefined
  }

  /** Nothing will be sent again: what is kept is let go. */
  letGo(): void {
    this.#kept = undefined
  }

  /** A stream of the whole body for one attempt. Destroying it leaves the source alone, for the next one. */
  open(): Readable {
    this.#detach()
    const source = this.#source
    const timer = setTimeout(() => body.destroy(new ProxyBodyStalled()), this.#stallMs)
    const body = new Readable({
      read: () => {
        if (this.#ended) return
        timer.refresh()
        source.resume()
      },
      destroy: (error, callback) => {
        detach()
        callback(error)
      },
    })
    const onData = (chunk: Buffer) => {
      timer.refresh()
      this.bytes += chunk.length
      this.#keep(chunk)
      if (body.push(chunk)) return
      source.pause()
      clearTimeout(timer)
    }
    const onEnd = () => {
      this.#ended = true
      clearTimeout(timer)
      body.push(null)
    }
    const onClose = () => {
      if (!this.#ended) body.destroy(new Error('the client went away'))
    }
    const detach = () => {
      clearTimeout(timer)
      source.pause()
      source.off('data', onData).off('end', onEnd).off('close', onClose)
    }
    this.#detach = detach
    for (const chunk of this.#kept ?? []) body.push(chunk)
    if (this.#ended) {
      clearTimeout(timer)
      body.push(null)
    } else source.on('data', onData).on('end', onEnd).on('close', onClose)
    return body
  }

  #keep(chunk: Buffer): void {
    if (this.#kept === undefined) return
    this.#keptBytes += chunk.length
    if (this.#keptBytes > keptBytesMax) this.#kept = undefined
    else this.#kept.push(chunk)
  }
}
