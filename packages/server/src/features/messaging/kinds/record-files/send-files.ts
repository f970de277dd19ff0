import { createHash } from 'node:crypto'
import { signatureFields } from '../envelope.ts'
import { failureOf } from '../failure-of.ts'
import type { OutgoingMessage, Sender, SenderServices, SendOptions, SendResult } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { keyFromTemplate } from '../object-key.ts'
import { openTemplate, type Template } from '../template.ts'
import { batchNameOf, type FileRow, fileRowsOf, type RowsOfMessage } from './file-rows.ts'
import type { FileFormat } from './settings.ts'

/** An object to store. */
export interface StoredObject {
  key: string
  contentType: string
  body: Buffer
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
const encoders: Record<FileFormat, () => Promise<(rows: readonly FileRow[]) => Buffer>> = {
  ndjson: async () => (await import('./ndjson.ts')).toNdjson,
  csv: async () => (await import('./csv.ts')).toCsv,
  parquet: async () => (await import('./parquet.ts')).toParquet,
}

/** About the size of the messages of one batch of files: with files and copies, memory holds it several times. */
const batchBytesMax = 8 * 2 ** 20

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

  async function store(batch: readonly RowsOfMessage[], options: SendOptions): Promise<SendResult> {
    const encode = await encoders[format]()
    const name = batchNameOf(batch.map(({ message }) => message))
    const files: object[] = []
    for (const [folder, { table, rows }] of foldersOf(batch, template, services)) {
      const body = encode(rows)
      const key = `${folder}/${table}-${name}.${format}`
      const result = await put({ key, contentType: contentTypes[format], body, metadata: {} }, options)
      if (result.outcome !== 'delivered') return result
      const sha256 = createHash('sha256').update(body).digest('hex')
      files.push({ key, table, rows: rows.length, bytes: body.length, sha256 })
    }
    return put(manifestOf({ batch, name, format, files, services, time: options.time }), options)
  }

  return {
    async send(messages, options) {
      const until = performance.now() + options.timeoutMs * shareOfTime
      const results = new Map<OutgoingMessage, SendResult>()
      let failure: SendResult | undefined
      for await (const batch of batchesOf(messages, services, results)) {
        const isLate = results.size > 0 && performance.now() > until
        const result =
          failure ?? (isLate ? unsent : await store(batch, options).catch((error: unknown) => failureOf(error)))
        if (result.outcome !== 'delivered') failure = result
        for (const { message } of batch) results.set(message, result)
      }
      return messages.map((message) => results.get(message) ?? unsent)
    },
    close: async () => undefined,
  }
}

const unsent: SendResult = { outcome: 'unsent', error: 'The messages before it took too long.' }

/** Reads messages, in parts of limited size. What cannot be read has a result. */
async function* batchesOf(
  messages: readonly OutgoingMessage[],
  services: SenderServices,
  results: Map<OutgoingMessage, SendResult>,
): AsyncGenerator<RowsOfMessage[]> {
  let batch: RowsOfMessage[] = []
  let bytes = 0
  for (const message of messages) {
    const read = await fileRowsOf(message, services)
    if ('outcome' in read) {
      results.set(message, read)
      continue
    }
    if (batch.length > 0 && bytes + read.bytes > batchBytesMax) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(read)
    bytes += read.bytes
  }
  if (batch.length > 0) yield batch
}

/** The rows of each file, by its folder and its table. */
function foldersOf(
  batch: readonly RowsOfMessage[],
  template: Template | undefined,
  services: SenderServices,
): [folder: string, file: { table: string; rows: FileRow[] }][] {
  const files = new Map<string, [string, { table: string; rows: FileRow[] }]>()
  for (const { message, body, rows } of batch) {
    const made = template && keyFromTemplate(template, message, body, services)
    for (const { table, row } of rows) {
      const folder = made ?? `${table}/date=${createTimeOf(message).toISOString().slice(0, 10)}`
      const id = JSON.stringify([folder, table])
      const file = files.get(id) ?? [folder, { table, rows: [] }]
      file[1].rows.push(row)
      files.set(id, file)
    }
  }
  return [...files.values()]
}

interface Manifest {
  batch: readonly RowsOfMessage[]
  name: string
  format: FileFormat
  files: object[]
  services: SenderServices
  time: Date
}

/** The object that says what a batch is. Files that no manifest lists are of a batch that was not completed. */
function manifestOf({ batch, name, format, files, services, time }: Manifest): StoredObject {
  const ids = batch.map(({ message }) => message.id).toSorted()
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
