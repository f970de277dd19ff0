import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runOperation, type Workspace } from './api.ts'
import { ApiError, invalid } from './api-error.ts'
import { generateCompanies } from './companies.ts'
import { type Contact, contactsMax } from './contact.ts'
import { createContactBook } from './contact-book.ts'
import { contactFields } from './fields.ts'
import { createTokenBucket } from './token-bucket.ts'

export interface SampleCrmOptions {
  /** 0, the default: any free port. */
  readonly port?: number
  /** The address to listen on; 127.0.0.1 unless set. */
  readonly host?: string
  /** What `X-Api-Key` must hold; `demo-key` unless set. */
  readonly apiKey?: string
  /** The workspace's name, as `GET /me` tells it. */
  readonly workspace?: string
  /** How many contacts there are, at most 9,999,999; 20,000 unless set. They cost nothing until they are asked for. */
  readonly contacts?: number
  /** Another seed, other people; 1 unless set. */
  readonly seed?: number
  /** Requests a second with a valid key; 50 unless set, 0 for no limit. */
  readonly rateLimit?: number
  /** Requests at once after a pause; twice `rateLimit` unless set. */
  readonly rateBurst?: number
  /** The present in ms since 1970. History lies in the two years before the start. */
  readonly clock?: () => number
}

/** What was asked and answered since the start. */
export interface SampleCrmCounters {
  readonly requests: number
  /** Answered 401. */
  readonly unauthorized: number
  /** Answered 429 by the rate limit. */
  readonly rateLimited: number
  /** Failures that `failNext` ordered. */
  readonly failed: number
  /** List pages answered with 200. */
  readonly pages: number
  /** Records on those pages. */
  readonly records: number
}

export interface SampleCrm {
  /** Without a slash at its end. */
  readonly url: string
  readonly port: number
  readonly apiKey: string
  counters(): SampleCrmCounters
  contact(id: string): Contact | undefined
  /**
   * Changes the score of these contacts, or of so many of the generated ones that take turns; all get one, later
   * `updated_at`.
   * @throws RangeError when they do not exist
   */
  change(idsOrCount: readonly string[] | number): Contact[]
  /** All contacts changed at or after this time, in the order of (updated_at, id). */
  contactsChangedSince(time: Date): readonly Contact[]
  /** Begins anew with a full bucket; 0 takes the limit away. */
  setRateLimit(perSecond: number, burst?: number): void
  /** Answers the next `count` requests that carry the key with this status (400 to 599); 0 ends an earlier order. */
  failNext(count: number, status: number): void
  /** Ends every connection; resolves when the port is free. May be called twice. */
  close(): Promise<void>
}

const bodyBytesMax = 64 * 1024

/** Starts the CRM. Rejects when the port is taken. */
export async function startSampleCrm(options: SampleCrmOptions = {}): Promise<SampleCrm> {
  const { port = 0, host = '127.0.0.1', apiKey = 'demo-key', contacts: count = 20_000, seed = 1 } = options
  const { rateLimit = 50, rateBurst, clock = Date.now } = options
  if (!Number.isInteger(count) || count < 1 || count > contactsMax) throw new RangeError('contacts: 1 to 9,999,999')

  const companies = generateCompanies(seed)
  const contacts = createContactBook({ count, seed, companies, clock })
  const workspace: Workspace = {
    name: options.workspace ?? 'Sample workspace',
    contacts,
    companies,
    contactFields: [...contactFields],
  }
  const counters = { requests: 0, unauthorized: 0, rateLimited: 0, failed: 0, pages: 0, records: 0 }
  const newBucket = (perSecond: number, burst = perSecond * 2) => createTokenBucket(perSecond, burst, clock)
  let bucket = newBucket(rateLimit, rateBurst)
  let failures = { left: 0, status: 500 }

  /** Key first: who has none learns nothing and takes no token. */
  function admit(request: IncomingMessage): void {
    counters.requests++
    if (!isSame(request.headers['x-api-key'], apiKey)) {
      counters.unauthorized++
      throw new ApiError(401, 'unauthorized', 'send the API key of the workspace in the header X-Api-Key')
    }
    if (failures.left > 0) {
      failures.left--
      counters.failed++
      const headers = failures.status === 429 ? { 'retry-after': '1' } : {}
      throw new ApiError(failures.status, 'ordered_failure', 'this failure was ordered', { headers })
    }
    const waitSeconds = bucket.take()
    if (waitSeconds > 0) {
      counters.rateLimited++
      const headers = { 'retry-after': String(Math.ceil(waitSeconds)) }
      throw new ApiError(429, 'rate_limited', 'too many requests: wait as Retry-After says', { headers })
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      admit(request)
      const {
        status = 200,
        body,
        records,
      } = await runOperation(workspace, {
        method: request.method ?? '',
        ...parseTarget(request.url ?? ''),
        body: () => readJson(request),
      })
      if (records !== undefined) {
        counters.pages++
        counters.records += records
      }
      send(response, status, body)
    } catch (error) {
      // The client went away in the middle of its body.
      if (request.errored) return void response.destroy()
      const known = error instanceof ApiError ? error : new ApiError(500, 'internal', 'the CRM failed')
      if (known !== error) process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
      send(response, known.status, known, known.headers)
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const listening = server.address() as AddressInfo

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}`,
    port: listening.port,
    apiKey,
    counters: () => ({ ...counters }),
    contact: (id) => contacts.find(id),
    change: (idsOrCount) => contacts.change(idsOrCount),
    contactsChangedSince(time) {
      const window = { since: time.getTime(), before: Number.POSITIVE_INFINITY }
      return contacts.pageByUpdated(window, undefined, contacts.size).contacts
    },
    setRateLimit(perSecond, burst) {
      bucket = newBucket(perSecond, burst)
    },
    failNext(left, status) {
      if (!(status >= 400 && status <= 599)) throw new RangeError('status: 400 to 599')
      failures = { left, status }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function isSame(given: string | string[] | undefined, expected: string): boolean {
  const [a, b] = [Buffer.from(String(given)), Buffer.from(expected)]
  return given !== undefined && a.length === b.length && timingSafeEqual(a, b)
}

function parseTarget(target: string): { path: string; query: URLSearchParams } {
  const [path = '', query = ''] = target.split('?', 2)
  try {
    return { path: decodeURI(path), query: new URLSearchParams(query) }
  } catch {
    throw invalid('path', 'valid percent-encoding')
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) {
      const headers = { connection: 'close' }
      throw new ApiError(413, 'too_large', `a body has at most ${bodyBytesMax} bytes`, { headers })
    }
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw invalid('body', 'JSON')
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  if (body === undefined) return void response.writeHead(status, headers).end()
  const json = `${JSON.stringify(body)}\n`
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json), ...headers })
    .end(json)
}
