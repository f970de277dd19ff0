import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { servePart } from './part.ts'

/**
 * A store of objects that answers as S3 does, checks no signature and keeps nothing. It counts the rows of the files
 * that manifests list.
 */

export interface StoredRows {
  rows: number
  files: number
  bytes: number
}

interface Manifest {
  files: { rows: number; bytes: number }[]
}

let stored: StoredRows = { rows: 0, files: 0, bytes: 0 }
let waiting: { rows: number; resolve: (stored: StoredRows) => void }[] = []

const server = createServer((request, response) => {
  const isManifest = request.url?.includes('/_mortise_manifests/') ?? false
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => {
    if (isManifest) chunks.push(chunk)
  })
  request.on('end', () => {
    response.writeHead(200, {
      etag: `"${createHash('md5')
        .update(request.url ?? '')
        .digest('hex')}"`,
    })
    response.end()
    if (isManifest) count(JSON.parse(Buffer.concat(chunks).toString()))
  })
})
server.keepAliveTimeout = 60_000

function count({ files }: Manifest): void {
  for (const { rows, bytes } of files) {
    stored.rows += rows
    stored.bytes += bytes
    stored.files++
  }
  const reached = waiting.filter(({ rows }) => stored.rows >= rows)
  waiting = waiting.filter(({ rows }) => stored.rows < rows)
  for (const { resolve } of reached) resolve({ ...stored })
}

server.listen(0, '127.0.0.1')
await once(server, 'listening')

servePart({
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  clear: () => {
    stored = { rows: 0, files: 0, bytes: 0 }
  },
  /** Answers when files of so many rows have come. */
  reached: (rows: number) =>
    stored.rows >= rows ? { ...stored } : new Promise<StoredRows>((resolve) => waiting.push({ rows, resolve })),
})
