import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BlockBlobClient } from '@azure/storage-blob'
import { metadataHeaders } from '../object-headers.ts'
import type { StoredObject } from '../record-files/index.ts'
import { bytesOf, isStreamed, type SizedBody } from '../streamed-body.ts'

/** A larger blob is uploaded in blocks. */
const wholeBytesMax = 16 * 2 ** 20
const blockBytes = 8 * 2 ** 20

/** Uploads a blob with one request, or in blocks that become its content when their list is committed. */
export async function upload(blob: BlockBlobClient, { contentType, body, metadata }: StoredObject): Promise<void> {
  const options = { blobHTTPHeaders: { blobContentType: contentType }, metadata: blobMetadata(metadata) }
  const bytes = bytesOf(body)
  if (bytes <= wholeBytesMax) {
    await blob.upload(isStreamed(body) ? () => streamOf(body) : body, bytes, options)
    return
  }
  const sized = isStreamed(body) ? body : { bytes, read: () => Readable.from([body]) }
  // Other uploads of this name may have blocks: each has its own ids. All ids of a blob have the same length.
  const id = randomUUID()
  const blockIds: string[] = []
  for await (const block of blocksOf(sized)) {
    const blockId = Buffer.from(`${id}-${String(blockIds.length).padStart(5, '0')}`).toString('base64')
    await blob.stageBlock(blockId, () => streamOf(block), block.bytes)
    blockIds.push(blockId)
  }
  await blob.commitBlockList(blockIds, options)
}

/** Names of metadata are identifiers: without dashes. */
function blobMetadata(metadata: Record<string, string>): Record<string, string> {
  const entries = Object.entries(metadataHeaders('', metadata))
  return Object.fromEntries(entries.map(([name, value]) => [name.replaceAll('-', '_'), value]))
}

const streamOf = (body: SizedBody) => Readable.from(body.read(), { objectMode: false, highWaterMark: 1 })

/** Cuts a body into blocks. Each must be read before the next one. */
async function* blocksOf({ bytes, read }: SizedBody): AsyncGenerator<SizedBody> {
  const parts = read()[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  async function* readBlock(wanted: number) {
    for (let left = wanted; left > 0; ) {
      if (rest.length === 0) {
        const next = await parts.next()
        if (next.done) return
        rest = next.value
      }
      const part = rest.subarray(0, left)
      rest = rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }
  for (let at = 0; at < bytes; at += blockBytes) {
    const wanted = Math.min(blockBytes, bytes - at)
    yield { bytes: wanted, read: () => readBlock(wanted) }
  }
}
