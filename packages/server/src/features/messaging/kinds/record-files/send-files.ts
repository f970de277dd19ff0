import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { signatureFields } from '../envelope.ts'
import { failureOf } from '../failure-of.ts'
import type { OutgoingMessage, Sender, SenderServices, SendOptions, SendResult } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import type { DividedBody } from '../streamed-body.ts'
import { openTemplate } from '../template.ts'
import { type Batch, batchesOf, type PlannedFile, rowsByFile } from './batches.ts'
import { batchNameOf, type FileRow } from './file-rows.ts'
import type { BeginFile, FileWriter } from './file-writer.ts'
import type { FileFormat } from './settings.ts'

/** An object to store. */
export interface StoredObject {
  key: string
  contentType: string
  body: Buffer | DividedBody
  /** What the store keeps with it. */
  metadata: Record<string, string>
}

/** Stores an object. @throws OutboundError */
export type PutObject = (object: StoredObject, options: SendOptions) => Promise<SendResult>

const contentTypes: Record<FileFormat, string> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
}

/** Loaded with the first file of a format. */
const formats: Record<FileFormat, () => Promise<BeginFile>> = {
  ndjson: async () => (await import('./ndjson.ts')).beginNdjson,
  csv: async () => (await import('./csv.ts')).beginCsv,
  parquet: async () => (await import('./parquet.ts')).beginParquet,
}

/**
 * About the size of the messages of a part. Rows of a part die young: V8 frees them without a collection of the old
 * generation, which would grow by more than 100 MB before one.
 */
const partBytes = 2 ** 18

/** A send that has taken this share of its time begins no further batch. */
const shareOfTime = 0.6

interface FileSender {
  format: FileFormat
  prefixTemplate: string | undefined
  put: PutObject
  services: SenderServices
}

/**
 * Writes the records of messages to files, one for each table and folder, and then a manifest that lists the files. The
 * messages are delivered when the store has confirmed the manifest. A batch that is sent again has the same names, and
 * replaces what there is of it.
 */
export function openFiles({ format, prefixTemplate, put, services }: FileSender): Sender {
  const template = openTemplate(prefixTemplate)

  async function store(batch: Batch, options: SendOptions): Promise<SendResult> {
    const name = batchNameOf(batch.messages.map(({ message }) => message))
    const files: object[] = []
    for (const { folder, table, rows, writer } of await writtenFiles(batch, await formats[format]())) {
      const body = writer.finish()
      const key = `${folder}/${table}-${name}.${format}`
      const result = await put({ key, contentType: contentTypes[format], body, metadata: {} }, options)
      if (result.outcome !== 'delivered') return result
      const sha256 = createHash('sha256').update(body).digest('hex')
      files.push({ key, table, rows, bytes: body.length, sha256 })
    }
    return put(manifestOf({ batch, name, format, files, services, time: options.time }), options)
  }

  return {
    async send(messages, options) {
      const until = performance.now() + options.timeoutMs * shareOfTime
      const results = new Map<OutgoingMessage, SendResult>()
      let failure: SendResult | undefined
      for await (const batch of batchesOf(messages, { template, services }, results)) {
        const isLate = results.size > 0 && performance.now() > until
        const result =
          failure ?? (isLate ? unsent : await store(batch, options).catch((error: unknown) => failureOf(error)))
        if (result.outcome !== 'delivered') failure = result
        for (const { message } of batch.messages) results.set(message, result)
      }
      return messages.map((message) => results.get(message) ?? unsent)
    },
    close: async () => undefined,
  }
}

const unsent: SendResult = { outcome: 'unsent', error: 'The messages before it took too long.' }

interface OpenFile extends PlannedFile {
  writer: FileWriter
  /** Rows of the next part, and about their size. */
  pending: FileRow[]
  pendingBytes: number
}

/** Writes the rows of a batch to files. Other work of the process runs after each part. */
async function writtenFiles(batch: Batch, begin: BeginFile): Promise<OpenFile[]> {
  const open = new Map<string, OpenFile>()
  for (const [id, file] of batch.files)
    open.set(id, { ...file, writer: begin(file.columns), pending: [], pendingBytes: 0 })
  for (const message of batch.messages)
    for (const { id, rows } of rowsByFile(message)) {
      const file = open.get(id)
      // Rows that no file has would be lost: the batch is tried again.
      if (file === undefined) throw new Error('a message was read with another file than before')
      for (const row of rows) file.pending.push(row)
      file.pendingBytes += message.bytes
      if (file.pendingBytes < partBytes) continue
      writePart(file)
      await nextTurn()
    }
  const files = [...open.values()]
  for (const file of files) writePart(file)
  return files
}

function writePart(file: OpenFile): void {
  if (file.pending.length > 0) file.writer.append(file.pending)
  file.pending = []
  file.pendingBytes = 0
}

interface Manifest {
  batch: Batch
  name: string
  format: FileFormat
  files: object[]
  services: SenderServices
  time: Date
}

/** The object that says what a batch is. Files that no manifest lists are of a batch that was not completed. */
function manifestOf({ batch, name, format, files, services, time }: Manifest): StoredObject {
  const ids = batch.messages.map(({ message }) => message.id).toSorted()
  const id = ids.at(-1) ?? ''
  const createTime = createTimeOf({ id }).toISOString()
  const { project: projectId, destination: destinationId } = services
  const body = Buffer.from(
    JSON.stringify({ id: name, createTime, projectId, destinationId, format, files, messages: ids }),
  )
  return {
    key: `_mortise_manifests/${createTime.slice(0, 10)}/${createTime}_${name}.json`,
    contentType: 'application/json',
    body,
    metadata: { 'event-id': id, ...signatureFields(services.keys, { id, body }, time) },
  }
}
