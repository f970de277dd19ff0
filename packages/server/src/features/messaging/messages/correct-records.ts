import type { Issue } from '../../../kernel/http/index.ts'
import { messageBytesMax } from './data-message.ts'
import { resultEntry } from './data-message-schema.ts'
import type { StoredDeadLetter } from './dead-letter-store.ts'
import { messageByUrl, messageOf, partsOfMessage } from './record-entries.ts'

/** Maximum size of a corrected record that is fetched by a URL. */
export const resultBytesMax = 8 * 2 ** 20

/** A message with corrected records. */
export interface CorrectedMessage {
  payload: Buffer
  result: Buffer | undefined
}

/** Returns the records of a dead letter as a JSON array. Undefined if it has none. */
export function recordsOf({ deadLetter, payload, hasResult, result }: StoredDeadLetter): Buffer | undefined {
  if (deadLetter.kind !== 'read' && deadLetter.kind !== 'subscribe') return undefined
  if (hasResult) return result ?? undefined
  const entries = partsOfMessage(payload)?.entries
  return entries && entries.length > 0 ? Buffer.from(`[${entries.join(',')}]`) : undefined
}

const known = Object.keys(resultEntry.properties)

/** Lists what is wrong with corrected records: another number or other ids than before, or keys that no record has. */
export function recordIssues(before: readonly object[], records: readonly object[]): Issue[] {
  if (records.length !== before.length) {
    const detail = `The dead letter has ${before.length} ${before.length === 1 ? 'record' : 'records'}, but records has ${records.length}.`
    return [{ in: 'body', name: 'records', detail, remedy: 'Give all records of the dead letter, in their order.' }]
  }
  return records.flatMap((record, at) => {
    const old = before[at] ?? {}
    const unknown = Object.keys(record).filter((key) => !known.includes(key) && !Object.hasOwn(old, key))
    const issues = unknown.map(
      (key): Issue => ({
        in: 'body',
        name: `records[${at}].${key}`,
        detail: 'A record has no such key.',
        remedy: `Use ${known.join(', ')}.`,
      }),
    )
    if (Reflect.get(record, 'id') !== Reflect.get(old, 'id'))
      issues.push({
        in: 'body',
        name: `records[${at}].id`,
        detail: 'The id of a record cannot be changed.',
        remedy: 'Keep the id. Discard the dead letter if the record should not arrive.',
      })
    return issues
  })
}

/** Returns the message with other records. Undefined if they are too large. */
export function correctedMessage(payload: Buffer, records: readonly object[]): CorrectedMessage | undefined {
  const parts = partsOfMessage(payload)
  if (!parts) return undefined
  const entries = records.map((record) => JSON.stringify(record))
  const whole = messageOf(parts.header, entries)
  if (whole.length <= messageBytesMax) return { payload: whole, result: undefined }
  const result = Buffer.from(`[${entries.join(',')}]`)
  if (entries.length > 1 || result.length > resultBytesMax) return undefined
  return { payload: messageByUrl(parts.header), result }
}
