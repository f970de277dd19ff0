import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createCondition } from './condition.ts'
import { downloadRecordIds } from './download-result.ts'
import { createLedger, type LedgerCounters, type TrackRecords } from './ledger.ts'
import { readMessage } from './message.ts'
import { BodyTooLarge, readBody } from './read-body.ts'
import { createVerifier, type Secret } from './verifier.ts'

export interface WebhookReceiverOptions {
  /** 0, the default: any free port. */
  readonly port?: number
  /** The address to listen on; 127.0.0.1 unless set. */
  readonly host?: string
  /**
   * The destination's signing secret; may follow later by `setSecret`. Until then every request is taken unverified.
   */
  readonly secret?: Secret
  /** False takes every request unverified, secret or not. */
  readonly verify?: boolean
  /** What to remember of records; `ids` unless set. */
  readonly trackRecords?: TrackRecords
  /** Keeps every accepted body, parsed, in `bodies`. Memory grows with them. */
  readonly storeBodies?: boolean
  /** Fetches the records of messages that hold only a `downloadUrl`; a download that fails is answered 500. */
  readonly followDownloads?: boolean
  /** How long to wait before each answer, in ms. */
  readonly delayMs?: number
  /** Decides the answer to a verified request; 204 unless set. */
  readonly respond?: (request: ReceivedRequest) => Answer | Promise<Answer>
  /** The largest body that is read, in bytes; 1 MB unless set. */
  readonly bodyBytesMax?: number
}

export interface ReceivedRequest {
  /** `webhook-id`: the same for every try of a message. */
  readonly id: string | undefined
  readonly headers: IncomingHttpHeaders
  /** As it came. */
  readonly body: Buffer
  /** As JSON. */
  readonly message: unknown
  /** How often this message was accepted before; at most 255. */
  readonly timesAccepted: number
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface WebhookReceiverCounters extends LedgerCounters {
  readonly requests: number
  /** Carried a good signature. */
  readonly verified: number
  /** Answered 401: the signature is missing, wrong or too old. */
  readonly refused: number
  /** Answered 400 or 413: no JSON, or too large. */
  readonly malformed: number
  /** Answered without 2xx for another reason: `respond` said so, or failed, or a download did. */
  readonly failed: number
}

export interface WebhookReceiver {
  /** Where to send messages: any path does. */
  readonly url: string
  readonly port: number
  /** What `storeBodies` keeps, in the order of arrival. */
  readonly bodies: readonly unknown[]
  counters(): WebhookReceiverCounters
  /** How often this record came in accepted messages; at most 255; 0 unless ids are tracked. */
  timesReceived(objectName: string, recordId: string): number
  /** @throws Error when the secret is no base64 text, with or without `whsec_` */
  setSecret(secret: Secret): void
  /**
   * Resolves as soon as the predicate holds; it is asked now and after each request.
   * @throws Error after `timeoutMs` (10 s unless set) or on close, with the last counters in its message
   */
  waitFor(
    predicate: (counters: WebhookReceiverCounters) => boolean,
    timeoutMs?: number,
  ): Promise<WebhookReceiverCounters>
  /** Ends every connection and every wait; resolves when the port is free. May be called twice. */
  close(): Promise<void>
}

/** Starts the receiver. Rejects when the port is taken. */
export async function startWebhookReceiver(options: WebhookReceiverOptions = {}): Promise<WebhookReceiver> {
  const { port = 0, host = '127.0.0.1', verify = true, delayMs = 0, bodyBytesMax = 1024 * 1024 } = options
  const { respond = () => ({ status: 204 }) } = options
  const ledger = createLedger(options.trackRecords ?? 'ids')
  const bodies: unknown[] = []
  const tally = { requests: 0, verified: 0, refused: 0, malformed: 0, failed: 0 }
  const counters = (): WebhookReceiverCounters => ({ ...tally, ...ledger.counters() })
  const condition = createCondition(counters)
  const closing = new AbortController()
  let isSigned = options.secret === undefined ? undefined : createVerifier(options.secret)

  async function receive(request: IncomingMessage): Promise<Answer> {
    const body = await readBody(request.iterator({ destroyOnReturn: false }), bodyBytesMax)
    if (verify && isSigned) {
      if (!isSigned(body, request.headers)) {
        tally.refused++
        return { status: 401, body: 'the signature does not match\n' }
      }
      tally.verified++
    }
    const parsed = parseJson(body)
    if (!parsed) {
      tally.malformed++
      return { status: 400, body: 'the body is not JSON\n' }
    }
    const id = idOf(request.headers)
    const timesAccepted = id === undefined ? 0 : ledger.timesAccepted(id)
    const answer = await respond({ id, headers: request.headers, body, message: parsed.value, timesAccepted })
    if (delayMs > 0) await delay(delayMs, undefined, { signal: closing.signal })
    if (answer.status < 200 || answer.status > 299) {
      tally.failed++
      return answer
    }
    const message = readMessage(parsed.value)
    const { downloadUrl } = message
    const recordIds =
      options.followDownloads && downloadUrl !== undefined
        ? await downloadRecordIds(downloadUrl, closing.signal)
        : message.recordIds
    ledger.accept(id, { ...message, recordIds })
    if (options.storeBodies) bodies.push(parsed.value)
    return answer
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return send(response, { status: 200, body: `${JSON.stringify(counters())}\n` })
    tally.requests++
    try {
      send(response, await receive(request))
    } catch (error) {
      // The sender went away or the receiver is closing: nobody is left to answer.
      if (request.errored || closing.signal.aborted) response.destroy()
      else if (error instanceof BodyTooLarge) {
        tally.malformed++
        send(response, { status: 413, headers: { connection: 'close' }, body: `${error.message}\n` })
      } else {
        tally.failed++
        process.stderr.write(`webhook receiver: ${error instanceof Error ? error.message : error}\n`)
        send(response, { status: 500, body: 'the receiver failed\n' })
      }
    } finally {
      condition.check()
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const listening = server.address() as AddressInfo

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}/`,
    port: listening.port,
    bodies,
    counters,
    timesReceived: ledger.timesReceived,
    setSecret(secret) {
      isSigned = createVerifier(secret)
    },
    waitFor: (predicate, timeoutMs = 10_000) => condition.waitFor(predicate, timeoutMs),
    close: () =>
      new Promise((resolve) => {
        closing.abort()
        condition.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function idOf(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['webhook-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

function parseJson(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body.toString()) }
  } catch {
    return undefined
  }
}

function send(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  response.writeHead(status, headers).end(body)
}
