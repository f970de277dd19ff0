import { createHash } from 'node:crypto'
import { refusalOfSignature } from '../aws.testkit.ts'
import type { TargetAnswer, TargetRequest } from '../http-target.testkit.ts'

export type Step = 'put' | 'create' | 'part' | 'complete' | 'abort'

interface StoredObject {
  body: Buffer
  headers: Record<string, string>
}

interface Upload extends Pick<StoredObject, 'headers'> {
  key: string
  parts: Map<number, { body: Buffer; etag: string }>
}

const partBytesMin = 5 * 2 ** 20

/** Plays S3 strictly: what its API reference does not describe is refused. */
export function createFakeS3({ bucket, region }: { bucket: string; region: string }) {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<string, Upload>()
  const steps: string[] = []
  const answers: Partial<Record<Step, (nth: number) => TargetAnswer | Promise<TargetAnswer> | undefined>> = {}
  const counts: Partial<Record<Step, number>> = {}
  let created = 0

  const run: Record<Step, (request: TargetRequest, key: string, query: URLSearchParams) => TargetAnswer> = {
    put(request, key) {
      objects.set(key, request)
      return { status: 200, headers: { etag: etagOf(request.body) } }
    },
    create({ headers, body }, key) {
      if (body.length > 0) return invalid
      // With what XML and a query escape.
      const id = `upload+${++created}&/=`
      uploads.set(id, { key, headers, parts: new Map() })
      return xml('InitiateMultipartUploadResult', `<Bucket>${bucket}</Bucket><UploadId>${escaped(id)}</UploadId>`)
    },
    part({ body }, key, query) {
      const upload = uploads.get(query.get('uploadId') ?? '')
      if (upload?.key !== key) return noSuchUpload
      const etag = etagOf(body)
      upload.parts.set(Number(query.get('partNumber')), { body, etag })
      return { status: 200, headers: { etag } }
    },
    complete({ body }, key, query) {
      const upload = uploads.get(query.get('uploadId') ?? '')
      if (upload?.key !== key) return noSuchUpload
      const named = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
        number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
        etag: (/<ETag>(.*?)</.exec(part)?.[1] ?? '').replaceAll('&quot;', '"'),
      }))
      const found = named.map(({ number, etag }) => {
        const part = upload.parts.get(number)
        return part?.etag === etag ? part.body : undefined
      })
      const isInOrder = named.every(({ number }, at) => number === at + 1)
      if (found.length === 0 || found.includes(undefined) || !isInOrder) return error(400, 'InvalidPart')
      const parts = found as Buffer[]
      if (parts.slice(0, -1).some(({ length }) => length < partBytesMin)) return error(400, 'EntityTooSmall')
      if (new Set(parts.slice(0, -1).map(({ length }) => length)).size > 1) return error(400, 'InvalidPart')
      objects.set(key, { body: Buffer.concat(parts), headers: upload.headers })
      uploads.delete(query.get('uploadId') ?? '')
      return xml(
        'CompleteMultipartUploadResult',
        `<Key>${escaped(key)}</Key><ETag>&quot;1-${parts.length}&quot;</ETag>`,
      )
    },
    abort(_, key, query) {
      const id = query.get('uploadId') ?? ''
      if (uploads.get(id)?.key !== key) return noSuchUpload
      uploads.delete(id)
      return { status: 204 }
    },
  }

  return {
    objects,
    /** Uploads that take room: neither completed nor aborted. */
    uploads,
    /** What was requested. */
    steps,
    /** Answers a step in place of S3. The first request of a step is 1. Undefined: as S3. */
    answers,
    async answer(request: TargetRequest): Promise<TargetAnswer> {
      const { method, path, headers, body } = request
      const url = new URL(path, 'http://127.0.0.1')
      const query = url.searchParams
      const step = stepOf(method, query)
      const prefix = `/${bucket}/`
      if (step === undefined || !url.pathname.startsWith(prefix)) return invalid
      const refused = await refusalOfSignature(request, { service: 's3', region })
      if (refused) return refused
      if (headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex'))
        return error(400, 'XAmzContentSHA256Mismatch')
      if (Object.keys(headers).some((name) => /checksum|content-encoding|trailer/.test(name)))
        return error(501, 'NotImplemented')
      counts[step] = (counts[step] ?? 0) + 1
      steps.push(step)
      const planned = await answers[step]?.(counts[step])
      return planned ?? run[step](request, decodeURIComponent(url.pathname.slice(prefix.length)), query)
    },
  }
}

function stepOf(method: string, query: URLSearchParams): Step | undefined {
  const names = [...query.keys()].filter((name) => name !== 'x-id').toSorted()
  const asked = `${method} ${names.join()}`
  const steps: Record<string, Step> = {
    'PUT ': 'put',
    'POST uploads': 'create',
    'PUT partNumber,uploadId': 'part',
    'POST uploadId': 'complete',
    'DELETE uploadId': 'abort',
  }
  return steps[asked]
}

const etagOf = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

export function xml(root: string, content: string): TargetAnswer {
  const namespace = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
  return { status: 200, body: `${declaration}<${root} ${namespace}>${content}</${root}>` }
}

/** Answers the first or the last request of an upload, by its URL. */
export function uploadDocument(url = ''): TargetAnswer {
  if (url.includes('uploads')) return xml('InitiateMultipartUploadResult', '<UploadId>1</UploadId>')
  return xml('CompleteMultipartUploadResult', '<ETag>"1"</ETag>')
}

export function error(status: number, code: string): TargetAnswer {
  return { status, body: `${declaration}<Error><Code>${code}</Code><Message>${code}</Message></Error>` }
}

const invalid = error(400, 'InvalidRequest')
const noSuchUpload = error(404, 'NoSuchUpload')
