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
  const [, head = '', type = ''] =
    /^(?:(?!\r\n\r\n)[^])*\r\n\r\n(.*)\r\n--[\w-]+\r\nContent-Type: (.*)\r\n\r\n/.exec(
      request.body.toString('latin1'),
    ) ?? []
  const described = JSON.parse(Buffer.from(head, 'latin1').toString()) as Described
  const start = request.body.indexOf('\r\n\r\n', request.body.indexOf('\r\n\r\n') + 4) + 4
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
