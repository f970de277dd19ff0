import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveAdmin } from './admin/serve-admin.ts'
import { createAdmission } from './admission.ts'
import { runOperation, type Workspace } from './api.ts'
import { ApiError, invalid } from './api-error.ts'
import { generateCompanies } from './companies.ts'
import { type Contact, contactsMax } from './contact.ts'
import { createContactBook } from './contact-book.ts'
import type { SampleCrmCounters } from './counters.ts'
import { contactFields } from './fields.ts'
import type { AuthorizationServer } from './sign-in/access.ts'

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
  /** Makes the OAuth 2.0 server: `createAuthorizationServer(…)`. Unless set, the CRM takes keys only. */
  readonly authorization?: (origin: string) => AuthorizationServer
  /** The present in ms since 1970. History lies in the two years before the start. */
  readonly clock?: () => number
}

export interface SampleCrm {
  /** Without a slash at its end. */
  readonly url: string
  readonly port: number
  /** The key that is valid now; empty after `revokeKey`. */
  readonly apiKey: string
  readonly authorization: AuthorizationServer | undefined
  counters(): SampleCrmCounters
  /** Answers requests with the key with 401 from now on, until there is a new one. */
  revokeKey(): void
  /** Replaces the key. A key that is not passed is random. */
  createKey(key?: string): string
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
  const pages = { pages: 0, records: 0 }
  const admission = createAdmission({
    apiKey,
    rateLimit,
    rateBurst,
    clock,
    findAccess: () => authorization?.findAccess,
  })
  const counters = (): SampleCrmCounters => ({ ...admission.counters, ...pages })
  let authorization: AuthorizationServer | undefined

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = request.url ?? ''
      if (url.startsWith('/oauth/') && authorization) return await authorization.handle(request, response)
      if (/^\/admin(?=[/?]|$)/.test(url))
        return await serveAdmin({ ...workspace, admission, authorization, counters }, request, response)
      await admission.admit(request)
      const {
        status = 200,
        body,
        records,
      } = await runOperation(workspace, {
        method: request.method ?? '',
        ...parseTarget(url),
        body: () => readJson(request),
      })
      if (records !== undefined) {
        pages.pages++
        pages.records += records
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
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}`
  authorization = options.authorization?.(url)

  return {
    url,
    port: listening.port,
    get apiKey() {
      return admission.apiKey ?? ''
    },
    counters,
    authorization,
    revokeKey: () => admission.revokeKey(),
    createKey: (key) => admission.createKey(key),
    contact: (id) => contacts.find(id),
    change: (idsOrCount) => contacts.change(idsOrCount),
    contactsChangedSince(time) {
      const window = { since: time.getTime(), before: Number.POSITIVE_INFINITY }
      return contacts.pageByUpdated(window, undefined, contacts.size).contacts
    },
    setRateLimit: (perSecond, burst) => admission.setRateLimit(perSecond, burst),
    failNext: (count, status) => admission.failNext(count, status),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
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
