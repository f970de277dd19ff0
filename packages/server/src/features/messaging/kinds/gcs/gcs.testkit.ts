import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createGoogle, googleCredentials } from '../google.testkit.ts'
import type { TargetAnswer, TargetRequest } from '../http-target.testkit.ts'

interface Described {
  contentType?: string
  metadata?: Record<string, string>
}

/** A request that stores an object as one of the XML API, which has the key in its path and metadata in its headers. */
export function objectOf(request: Pick<TargetRequest, 'path' | 'headers' | 'body'>): TargetRequest | undefined {
  const { pathname, searchParams } = new URL(request.path, 'http://localhost')
  const [, bucket] = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/.exec(pathname) ?? []
  const boundary = /^multipart\/related; boundary=([\w-]+)$/.exec(request.headers['content-type'] ?? '')?.[1]
  const name = searchParams.get('name')
  if (bucket === undefined || boundary === undefined || name === null) return undefined
  if (searchParams.get('uploadType') !== 'multipart' || [...searchParams].length !== 2) return undefined
  // Two parts: what describes the object, and the object.
  const [headStart, headEnd] = [request.body.indexOf('\r\n\r\n') + 4, request.body.indexOf(`\r\n--${boundary}\r\n`)]
  const head = request.body.subarray(headStart, headEnd).toString()
  const start = request.body.indexOf('\r\n\r\n', headEnd) + 4
  const type = /Content-Type: (.*)\r\n\r\n$/.exec(request.body.subarray(headEnd, start).toString())?.[1]
  const described = JSON.parse(head) as Described
  const body = request.body.subarray(start, request.body.lastIndexOf(`\r\n--${boundary}--`))
  if (described.contentType !== type) return undefined
  return stored({ bucket, name, described, body })
}

/** An object, as the XML API would have got it. */
export function stored({
  bucket,
  name,
  described: { contentType = '', metadata = {} },
  body,
}: {
  bucket: string
  name: string
  described: Described
  body: Buffer
}): TargetRequest {
  return {
    method: 'PUT',
    path: `/${bucket}/${name.split('/').map(encodeURIComponent).join('/')}`,
    headers: {
      'content-type': contentType,
      'content-length': String(body.length),
      ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`x-goog-meta-${key}`, value])),
    },
    body,
  }
}

/** The answer that confirms an object. */
export function confirmationOf({ path, body }: TargetRequest): TargetAnswer {
  const [, bucket = '', ...key] = path.split('/').map(decodeURIComponent)
  const object = { kind: 'storage#object', bucket, name: key.join('/'), generation: '1790000000000000' }
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify({ ...object, size: String(body.length) }),
  }
}

/** What happens to a request with a part of an object, in place of its success. */
interface Fault {
  /** The number of bytes of the request after which it happens, or after all of them. */
  after: number
  happens: (response: ServerResponse, url: string) => void
  /** Whether what arrived before is lost. */
  loses?: boolean
}

interface Session {
  bucket: string
  name: string
  described: Described
  total: number
  kept: Buffer
  isComplete: boolean
}

/** Parts are kept in multiples of this. */
const unit = 2 ** 18

/** Plays resumable uploads, strictly. It keeps what arrived before a fault. */
export async function startUploads() {
  const google = createGoogle('https://www.googleapis.com/auth/devstorage.read_write')
  const sessions = new Map<string, Session>()
  const objects = new Map<string, TargetRequest>()
  const faults: Fault[] = []
  const sent: string[] = []
  const state = { received: 0, location: undefined as string | undefined, slow: async () => {} }

  const statusOf = (session: Session): TargetAnswer =>
    session.isComplete
      ? confirmationOf(stored({ ...session, body: session.kept }))
      : {
          status: 308,
          ...(session.kept.length > 0 && { headers: { range: `bytes=0-${session.kept.length - 1}` } }),
        }

  async function take(session: Session, from: number, request: IncomingMessage, response: ServerResponse) {
    const fault = faults.shift()
    const chunks = [session.kept]
    let arrived = 0
    const keep = (size: number) => {
      if (!fault?.loses) session.kept = Buffer.concat(chunks).subarray(0, size)
    }
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      arrived += chunk.length
      state.received += chunk.length
      await state.slow()
      if (fault && arrived >= fault.after) {
        keep(Math.floor((from + arrived) / unit) * unit)
        fault.happens(response, request.url ?? '')
        return undefined
      }
    }
    keep(from + arrived)
    session.isComplete = session.kept.length === session.total
    if (session.isComplete) objects.set(session.name, stored({ ...session, body: session.kept }))
    if (fault === undefined) return statusOf(session)
    fault.happens(response, request.url ?? '')
    return undefined
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<TargetAnswer | undefined> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const [, bucket = ''] = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/.exec(pathname) ?? []
    const id = searchParams.get('upload_id')
    const range = request.headers['content-range'] ?? ''
    sent.push([request.method, range].join(' ').trim())
    const session = sessions.get(id ?? '')
    if (request.method === 'PUT' && session) {
      if (range === 'bytes */*' && request.headers['content-length'] === '0') return statusOf(session)
      const [, from, total] = /^bytes (\d+)-\*\/(\d+)$/.exec(range) ?? []
      const isNext = Number(from) === session.kept.length && Number(total) === session.total
      if (!isNext || Number(request.headers['content-length']) !== Number(total) - Number(from)) return { status: 400 }
      return take(session, Number(from), request, response)
    }
    const name = searchParams.get('name')
    if (request.method !== 'POST' || searchParams.get('uploadType') !== 'resumable' || !name) return { status: 400 }
    const metadata = JSON.parse(await text(request)) as Described
    const contentType = String(request.headers['x-upload-content-type'])
    const total = Number(request.headers['x-upload-content-length'])
    const made = `upload-secret-${sessions.size}`
    const described = { ...metadata, contentType }
    sessions.set(made, { bucket, name, described, total, kept: Buffer.of(), isComplete: false })
    const location = `http://${request.headers.host}${pathname}?uploadType=resumable&upload_id=${made}`
    return { status: 200, headers: { location: state.location ?? location } }
  }

  const server = createServer(async (request, response) => {
    const { url: path = '', method = '' } = request
    const headers = request.headers as Record<string, string>
    const body = path === '/token' ? Buffer.from(await text(request)) : Buffer.of()
    const gated = await google.gate({ method, path, headers, body })
    // The other side may break off.
    const answered = gated ?? (await answer(request, response).catch(() => undefined))
    if (answered) response.writeHead(answered.status, answered.headers).end(answered.body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    settings: {
      bucket: 'crm',
      endpointUrl: `http://127.0.0.1:${port}/`,
      credentials: googleCredentials(`http://127.0.0.1:${port}/token`),
    },
    objects,
    /** One for each request with a part of an object. */
    faults,
    /** Requests that had a token: their method, and the range of what they send. */
    sent,
    state,
    async stop() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
