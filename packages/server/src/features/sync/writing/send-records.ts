import type { BatchRecordResult, Connector, WriteRefusal } from '@mortise/providers'
import type { PreparedRecord, PreparedWrite } from './model.ts'
import { pathOf, take, valueAt } from './nested-fields.ts'

/** One request to the provider: a single record, or as many as fit into one batch. */
export interface Chunk extends Omit<PreparedWrite, 'records' | 'leftOut' | 'unsent'> {
  records: PreparedRecord[]
  /** The same for every attempt at this chunk. */
  idempotencyKey: string
}

export interface ChunkAnswer {
  /** One for each record, in their order. */
  results: BatchRecordResult[]
  /** Errors of the chunk as a whole. */
  errors: WriteRefusal[]
  /** The provider's response, where its file does not distinguish a refusal from a success. */
  rawResponse?: string
}

/** Returns the maximum number of records in one request to the provider. */
export function chunkSize(
  connector: Connector,
  { objectName, type, batch }: Omit<Chunk, 'records' | 'idempotencyKey'>,
): number {
  return batch && type !== 'delete' ? (connector.batchSizeMax(objectName, type) ?? 1) : 1
}

/**
 * Whether a chunk whose outcome is unknown can be sent again, because writing it twice has the same effect as writing
 * it once.
 */
export function isRepeatable(connector: Connector, { objectName, type }: Pick<Chunk, 'objectName' | 'type'>): boolean {
  return type !== 'create' || connector.takesIdempotencyKey?.(objectName, type) === true
}

/**
 * Removes fields that are written only where the record has no value yet. Reads the record from the provider to find
 * out. Changes nothing at the provider.
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
 * Sends one chunk. The answer contains the provider's refusals of single records. An update without any field left is
 * not sent.
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
