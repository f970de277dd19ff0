import type { Connector } from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'
import type { PreparedRecord, WriteRequest } from './model.ts'
import type { WriteMapping } from './write-mapping.ts'

/** How many fields are listed; the rest is counted. */
const listedMax = 50

export interface UnsentFields {
  /** Sentences for callers that send the record all the same. */
  warnings: string[]
  /** The same for callers that ask for `strict`. */
  issues: Issue[]
}

/** Returns what of a write the provider file does not send, by the names that the caller uses. */
export function unsentFields(
  connector: Pick<Connector, 'unsentFields'>,
  { objectName, mapping }: { objectName: string; mapping: WriteMapping },
  { type, batch, autoBatchPolicy }: WriteRequest,
  records: readonly PreparedRecord[],
): UnsentFields {
  if (type === 'delete') return { warnings: [], issues: [] }
  const inBatch = (batch ?? autoBatchPolicy) !== undefined
  const sent = records.map(({ record }) => record)
  const unsent = connector.unsentFields(objectName, type, sent, { batch: inBatch })
  const callerName = (field: string) => [...mapping.fields].find(([, from]) => from === field)?.[0] ?? field
  const listed = unsent.slice(0, listedMax).map(({ field, records: indexes, nearest, isNull }) => {
    const name = callerName(field)
    const count = batch !== undefined && batch.length > 1 ? ` in ${countText(indexes.length, batch.length)}` : ''
    const why = isNull
      ? `the provider file cannot send null for it`
      : `the provider file does not name it for a ${type} of ${objectName}`
    const detail = `The field ${name} is not sent${count}: ${why}.`
    const remedy = nearest === undefined ? 'Leave it out.' : `Use ${callerName(nearest)}.`
    const at = batch === undefined ? 'record' : `batch[${indexes[0] ?? 0}].record`
    return { name: `${at}.${name}`, detail, remedy, hasNearest: nearest !== undefined }
  })
  const rest = unsent.length - listed.length
  const more = rest > 0 ? [`${rest} more fields are not sent.`] : []
  return {
    warnings: [
      ...listed.map(({ detail, remedy, hasNearest }) => (hasNearest ? `${detail} ${remedy}` : detail)),
      ...more,
    ],
    issues: [
      ...listed.map(({ name, detail, remedy }): Issue => ({ in: 'body', name, detail, remedy })),
      ...more.map((detail): Issue => ({ in: 'body', name: batch === undefined ? 'record' : 'batch', detail })),
    ],
  }
}

function countText(some: number, all: number): string {
  return some === all ? `all ${all} records` : `${some} of ${all} records`
}
