import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { createGoogleCallsOnce } from '../google.ts'
import { urlWithin } from '../google-client.ts'
import { type HttpAnswer, type HttpCall, jsonOf, withoutCredential } from '../http-calls.ts'
import type { SendResult } from '../kind.ts'
import { metadataHeaders } from '../object-headers.ts'
import type { StoredObject } from '../record-files/index.ts'
import { bytesOf, isStreamed } from '../streamed-body.ts'
import { type GcsSettings, objectUrl } from './settings.ts'

type Send = ReturnType<typeof createGoogleCallsOnce>['send']

/** One attempt of the client to store an object. */
export interface Attempt {
  object: StoredObject
  isResumable: boolean
  /** The URL of a resumable upload that was begun. */
  session: string | undefined
  signal: AbortSignal
}

/** What became of it: the last answer, or the error in its place. */
export interface Uploaded {
  answer?: HttpAnswer | SendResult
  error?: unknown
  session: string | undefined
  /** How many bytes the store said that it has. */
  stored: number
}

/** What the client takes for the endpoint. For any other, it would send resumable uploads without `authClient`. */
const defaultOrigin = 'https://storage.googleapis.com'

/**
 * Stores an object by the client of Cloud Storage, whose requests are sent by `send`. A resumable upload that has a
 * session is continued behind what the store has.
 *
 * @throws what reading the object threw
 */
export async function uploadObject(settings: GcsSettings, send: Send, attempt: Attempt): Promise<Uploaded> {
  const { object, isResumable, session, signal } = attempt
  const { Storage } = await import('@google-cloud/storage')
  const exchange = new Exchange(objectUrl(settings, '').origin, send, object)
  exchange.session = session
  const storage = new Storage({
    apiEndpoint: defaultOrigin,
    authClient: { request: (request: UploadRequest) => exchange.resumable(request) } as never,
    retryOptions: { autoRetry: false, retryableErrorFn: () => false },
  })
  // Other requests than those of resumable uploads pass this method.
  Object.assign(storage, {
    makeAuthenticatedRequest: (request: MultipartRequest, callback: (error: Error | null, body?: unknown) => void) =>
      void exchange
        .multipart(request)
        .then((body) => callback(null, body), callback)
        .catch(() => undefined),
  })
  const stream = storage
    .bucket(settings.bucket)
    .file(object.key)
    .createWriteStream({
      resumable: isResumable,
      ...(session !== undefined && { uri: session }),
      validation: false,
      metadata: {
        contentType: object.contentType,
        metadata: metadataHeaders('', object.metadata),
        ...(isResumable && { contentLength: bytesOf(object.body) }),
      },
    })
  let failure: { error: unknown } | undefined
  async function* parts() {
    const { body } = object
    try {
      if (isStreamed(body)) yield* body.read()
      else yield body
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  try {
    await pipeline(parts, stream, { signal })
  } catch (error) {
    exchange.error ??= error
  }
  await exchange.close()
  if (failure) throw failure.error
  return exchange
}

/** A request with two parts, as the client gives it to its transport: its metadata, and the object. */
interface MultipartRequest {
  uri: string
  qs: Record<string, string>
  multipart: [{ 'Content-Type': string; body: string }, { 'Content-Type': string; body: Readable }]
}

/** A request of a resumable upload, as the client gives it to an authorization client. */
interface UploadRequest {
  method: 'POST' | 'PUT'
  url: string
  params?: Record<string, string>
  headers: Record<string, string | number>
  data?: object
  body?: Readable
  validateStatus(status: number): boolean
}

/** The requests of one attempt, and their answers. */
class Exchange implements Uploaded {
  answer?: HttpAnswer | SendResult
  error?: unknown
  session: string | undefined
  stored = 0
  readonly #origin: string
  readonly #send: Send
  readonly #bytes: number
  /** After an error or the end, the client may send nothing more. */
  #isOver = false
  #content: Readable | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(origin: string, send: Send, object: StoredObject) {
    this.#origin = origin
    this.#send = send
    this.#bytes = bytesOf(object.body)
  }

  /** Ends the last request: the client leaves it open after an error. */
  async close(): Promise<void> {
    this.#isOver = true
    this.#content?.destroy(new Error('The upload is over.'))
    await this.#last.catch(() => undefined)
  }

  async multipart({ uri, qs, multipart: [head, content] }: MultipartRequest): Promise<unknown> {
    this.#content = content.body
    const boundary = randomUUID()
    const part = (type: string) => `--${boundary}\r\nContent-Type: ${type}\r\n\r\n`
    const start = Buffer.from(`${part(head['Content-Type'])}${head.body}\r\n${part(content['Content-Type'])}`)
    const end = Buffer.from(`\r\n--${boundary}--`)
    let isRead = false
    const url = this.#urlOf(uri)
    for (const [name, value] of Object.entries(qs)) url.searchParams.set(name, value)
    const answer = await this.#request({
      url,
      headers: { 'content-type': `multipart/related; boundary=${boundary}` },
      body: {
        bytes: start.length + this.#bytes + end.length,

        async *read() {
          yield start
          yield* content.body
          isRead = true
          yield end
        },
      },
    })
    const { status } = answer
    if (status !== 200 || !isRead) throw new Error(`The answer is ${status}.`)
    return jsonOf(answer)
  }

  async resumable(request: UploadRequest) {
    if (this.#isOver) throw new Error('The upload is over.')
    try {
      return await this.#resumable(request)
    } catch (error) {
      this.#isOver = true
      throw error
    }
  }

  async #resumable({ method, url: text, params = {}, headers, data, body, validateStatus }: UploadRequest) {
    const url = this.#urlOf(text)
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
    const from = Number(/^bytes (\d+)-/.exec(String(headers['Content-Range']))?.[1] ?? 0)
    const wanted = this.#bytes - from
    this.#content = body
    let read = 0
    async function* counted() {
      for await (const part of (body ?? []) as AsyncIterable<Buffer>) {
        read += part.length
        yield part
      }
    }
    const answer = await this.#request({
      method,
      url,
      headers: { ...forwarded(headers), ...(data !== undefined && { 'content-type': 'application/json' }) },
      ...(data !== undefined && { body: JSON.stringify(data) }),
      ...(body !== undefined && { body: { bytes: wanted, read: counted } }),
    })
    const { status, headers: answered } = answer
    // A secret: everyone who knows it can write the object.
    if (method === 'POST' && status === 200) this.session = this.#urlOf(answered['location'] ?? '').href
    if (status === 308) this.stored = storedOf(answered['range'])
    if (this.stored > this.#bytes) throw new Error('The store has more than the object.')
    // The client would wait until the rest of the object is taken.
    if (body !== undefined && read < wanted) throw new Error('The answer came too early.')
    // The store has the object already: only the answer was lost.
    if (status < 300 && method === 'PUT' && body === undefined) throw new Error('The upload is complete.')
    if (!validateStatus(status)) throw new Error(`The answer is ${status}.`)
    return { status, headers: answered, data: jsonOf(answer) ?? {} }
  }

  #urlOf(text: string): URL {
    const isDefault = text.startsWith(`${defaultOrigin}/`)
    return urlWithin(this.#origin, isDefault ? `${this.#origin}${text.slice(defaultOrigin.length)}` : text)
  }

  /** Sends a request. @throws OutboundError, or an Error if there is no token */
  async #request(call: HttpCall): Promise<HttpAnswer> {
    delete this.answer
    try {
      const sending = this.#send(call)
      this.#last = sending
      const answer = await sending
      this.answer = 'outcome' in answer ? answer : withoutSession(answer, call.url)
    } catch (error) {
      this.error = error
      throw error
    }
    if ('outcome' in this.answer) throw new Error(this.answer.error)
    return this.answer
  }
}

/** Headers of the client that say what is sent. Others say what sends it. */
function forwarded(headers: UploadRequest['headers']): Record<string, string> {
  const names = ['Content-Range', 'X-Upload-Content-Type', 'X-Upload-Content-Length']
  return Object.fromEntries(names.flatMap((name) => (name in headers ? [[name, String(headers[name])]] : [])))
}

/** How many bytes a store has, by the header of its answer. */
function storedOf(range: string | undefined): number {
  return Number(/^bytes=0-(\d{1,15})$/.exec(range ?? '')?.[1] ?? -1) + 1
}

function withoutSession(answer: HttpAnswer, url: URL): HttpAnswer {
  const id = url.searchParams.get('upload_id') ?? ''
  // A shorter one can be guessed, and is in other words, too.
  return id.length < 8 ? answer : { ...answer, body: withoutCredential(answer.body, id) }
}
