import { createHmac } from 'node:crypto'
import type { TargetAnswer, TargetRequest } from '../http-target.testkit.ts'

export const accessKey = 'YXp1cmUtYmxvYi1hY2Nlc3Mta2V5LW9mLXRoZS10ZXN0cw=='

export interface StoredBlob {
  contentType: string
  metadata: Record<string, string>
  body: Buffer
}

/** Signs a request as the documentation says, line by line ("Authorize with Shared Key"). */
function signatureOf({ method, path, headers }: TargetRequest, account: string): string {
  const { pathname, searchParams } = new URL(path, 'http://store.test')
  const ours = Object.keys(headers).filter((name) => name.startsWith('x-ms-'))
  const length = headers['content-length'] === '0' ? '' : headers['content-length']
  const text = [
    `${method}\n\n\n${length}\n\n${headers['content-type']}\n\n\n\n\n\n\n`,
    ...ours.toSorted().map((name) => `${name}:${headers[name]}\n`),
    `/${account}${pathname}`,
    ...[...searchParams].toSorted().map(([name, value]) => `\n${name}:${value}`),
  ].join('')
  return createHmac('sha256', Buffer.from(accessKey, 'base64')).update(text, 'utf8').digest('base64')
}

const error = (status: number, code: string): TargetAnswer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>No.</Message></Error>`,
})

/** Plays the block blobs of Azure Storage, as its reference says. */
export function createBlobStore(account: string) {
  const blobs = new Map<string, StoredBlob>()
  const uncommitted = new Map<string, Map<string, Buffer>>()

  function stage(path: string, id: string, body: Buffer): TargetAnswer {
    const blocks = uncommitted.get(path) ?? new Map<string, Buffer>()
    const isId = Buffer.from(id, 'base64').toString('base64') === id && Buffer.from(id, 'base64').length <= 64
    if (!isId || body.length === 0 || [...blocks.keys()].some(({ length }) => length !== id.length))
      return error(400, 'InvalidBlobOrBlock')
    uncommitted.set(path, blocks.set(id, body))
    return { status: 201 }
  }

  function commit(path: string, list: string): Buffer | undefined {
    const ids = [...list.matchAll(/<Latest>([^<]*)<\/Latest>/g)].map(([, id = '']) => id)
    const blocks = ids.map((id) => uncommitted.get(path)?.get(id))
    const isList = list.endsWith(`<BlockList>${ids.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`)
    return isList && blocks.every((block) => block !== undefined) ? Buffer.concat(blocks) : undefined
  }

  return {
    blobs,
    /** Sizes of blocks without a blob. */
    uncommitted: () => [...uncommitted.values()].flatMap((blocks) => [...blocks.values()].map(({ length }) => length)),
    answer(request: TargetRequest): TargetAnswer {
      const { method, headers, body } = request
      if (headers['authorization'] !== `SharedKey ${account}:${signatureOf(request, account)}`)
        return error(403, 'AuthenticationFailed')
      const isWhole =
        method === 'PUT' &&
        headers['x-ms-version'] === '2021-12-02' &&
        !/azsdk/.test(headers['user-agent'] ?? '') &&
        headers['content-length'] === String(body.length) &&
        Math.abs(Date.parse(headers['x-ms-date'] ?? '') - Date.now()) < 900_000
      if (!isWhole) return error(400, 'InvalidHeaderValue')
      const { pathname: path, searchParams } = new URL(request.path, 'http://store.test')
      const step = searchParams.get('comp')
      if (step === 'block') return stage(path, searchParams.get('blockid') ?? '', body)
      if (step === null && headers['x-ms-blob-type'] !== 'BlockBlob') return error(400, 'InvalidHeaderValue')
      const content = step === 'blocklist' ? commit(path, body.toString()) : body
      if (content === undefined) return error(400, 'InvalidBlockList')
      const metadata = metadataOf(headers)
      if (!Object.keys(metadata).every((name) => /^[a-z_][a-z\d_]*$/.test(name))) return error(400, 'InvalidMetadata')
      // Blocks that are not in the list are discarded.
      uncommitted.delete(path)
      blobs.set(decodeURIComponent(path), {
        contentType: headers['x-ms-blob-content-type'] ?? 'application/octet-stream',
        metadata,
        body: content,
      })
      return { status: 201, headers: { etag: '"0x8D"', 'last-modified': new Date().toUTCString() } }
    },
  }
}

function metadataOf(headers: Record<string, string>): Record<string, string> {
  const prefix = 'x-ms-meta-'
  const own = Object.entries(headers).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]))
}
