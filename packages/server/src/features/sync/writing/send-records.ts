import type { BatchRecordResult, Connector, WriteRefusal } from '@mortise/providers'
import type { PreparedRecord, PreparedWrite } from './model.ts'
import { pathOf, take, valueAt } from './nested-fields.ts'

/** One request to the provider: a single record, or as many as go into one batch. */
export interface Chunk extends Omit<PreparedWrite, 'records' | 'leftOut' | 'unsent'> {
  records: PreparedRecord[]
  /** The same whenever this chunk is sent. */
  idempotencyKey: string
}

export interface ChunkAnswer {
  /** One for each record, in their order. */
  results: BatchRecordResult[]
  /** What the provider says of the chunk as a whole. */
  errors: WriteRefusal[]
  /** The provider's answer, where its file does not tell a refusal from a success. */
  rawResponse?: string
}

/** Most records of one request to the provider. */
export function chunkSize(
  connector: Connector,
  { objectName, type, batch }: Omit<Chunk, 'records' | 'idempotencyKey'>,
): number {
  return batch && type !== 'delete' ? (connector.batchSizeMax(objectName, type) ?? 1) : 1
}

/** Whether a chunk can be sent again when it is not known what came of it: what is done twice is as if done once. */
export function isRepeatable(connector: Connector, { objectName, type }: Pick<Chunk, 'objectName' | 'type'>): boolean {
  return type !== 'create' || connector.takesIdempotencyKey?.(objectName, type) === true
}

/**
 * Leaves out what is written only where the record has nothing yet, by asking the provider for it. Sends nothing that
 * changes anything.
 *
 * @throws ProviderError
 */
export async function withoutFilled(connector: Connector, chunk: Chunk): Promise<Chunk> {
  if (chunk.records.every(({ ifEmpty = [] }) => ifEmpty.length === 0)) return chunk
  const asked = chunk.records.filter(({ id, ifEmpty = [] }) => id !== undefined && ifEmpty.length > 0)
  const ids = asked.flatMap(({ id }) => id ?? [])
  const fields = [...new Set(asked.flatMap(({ ifEmpty = [] }) => ifEmpty))]
  const known = await connector.fetchRecords(chunk.objectName, ids, fields)
  const records = chunk.records.map((prepared): PreparedRecord => {
    const { id, ifEmpty = [] } = prepared
    if (id === undefined || ifEmpty.length === 0) return prepared
    const found = known.get(id)
    const record = structuredClone(prepared.record)
    for (const field of ifEmpty) {
      const path = pathOf(field)
      const value = found?.fields[field.toLowerCase()] ?? valueAt(found?.raw, path)
      if (value !== undefined && value !== null && value !== '') take(record, path)
    }
    return { ...prepared, record }
  })
  return { ...chunk, records }
}

/**
 * Sends one chunk. What the provider refuses of single records is in the answer. An update that has nothing left to
 * change is not sent.
 *
 * @throws what the connector throws
 */
export async function sendChunk(connector: Connector, chunk: Chunk): Promise<ChunkAnswer> {
  const { objectName: object, type, headers, allOrNone, batch, records } = chunk
  const common = { object, ...(headers && { headers }), idempotencyKey: chunk.idempotencyKey }
  if (type === 'update') {
    const filled = ({ record, ifEmpty }: PreparedRecord) => ifEmpty !== undefined && Object.keys(record).length === 0
    if (records.some(filled)) {
      const left = records.filter((record) => !filled(record))
      const sent = left.length === 0 ? nothingSent : await sendChunk(connector, { ...chunk, records: left })
      const results = sent.results.values()
      const unchanged = ({ id }: PreparedRecord) => ({ success: true, ...(id !== undefined && { recordId: id }) })
      return {
        results: records.map((record) => (filled(record) ? unchanged(record) : (results.next().value ?? unanswered))),
        errors: sent.errors,
        ...rawOf(sent),
      }
    }
  }
  if (!batch || type === 'delete') {
    const [{ id, record, associations }] = records as [PreparedRecord]
    const { rawResponse, ...result } = await connector.write({
      ...common,
      type,
      record,
      ...(id !== undefined && { id }),
      ...(associations && { associations }),
    })
    return { results: [result], errors: [], ...rawOf({ rawResponse }) }
  }
  const items = records.map(({ ifEmpty: _, ...item }) => item)
  const written = await connector.writeBatch({ ...common, type, items, allOrNone })
  const { results, errors } = written
  if (results.length === 0) return { results: records.map(() => ({ success: false, errors })), errors: [] }
  return { results: records.map((_, at) => results[at] ?? unanswered), errors, ...rawOf(written) }
}

function rawOf({ rawResponse }: { rawResponse?: string | undefined }): { rawResponse?: string } {
  return rawResponse === undefined ? {} : { rawResponse }
}

const nothingSent: ChunkAnswer = { results: [], errors: [] }
const unanswered: BatchRecordResult = {
  success: false,
  errors: [{ message: 'The provider did not report the result of this record.' }],
}
