import type { EventStream } from '../../catalogue/format/stream.ts'
import { compilePath, isObject, scalarText } from '../path.ts'
import { compilePattern } from '../pattern.ts'
import { instantOf } from '../webhooks/parse-events.ts'

/** A decoded event of a stream. */
export interface StreamEvent {
  name: string
  /** The changed records, each with the event as if it was about this one alone. */
  records: { id: string; raw: object }[]
  /** Whether changes were not sent, or the event does not say which records changed. The object must be read. */
  isMissed: boolean
  time?: Date
  /** Absent if the event does not say which fields changed. */
  fieldsUpdated?: string[]
}

/** Returns what a decoded event says; undefined if it has no name. */
export function readStreamEvent({ event, missed = [] }: EventStream, decoded: unknown): StreamEvent | undefined {
  const name = scalarText(compilePath(event.name)(decoded))
  if (!isObject(decoded) || name === undefined || name === '') return undefined
  const fits = event.idPattern === undefined ? undefined : compilePattern(event.idPattern)
  const listed = compilePath(event.ids)(decoded)
  const all = (Array.isArray(listed) ? listed : [listed]).map((id) => scalarText(id) ?? '')
  const ids = [...new Set(all)].filter((id) => id !== '' && (fits === undefined || fits.fits(id)))
  const isWithoutRecords = missed.includes(name)
  const time = event.time === undefined ? undefined : instantOf(compilePath(event.time)(decoded))
  const fields = event.fieldsUpdated === undefined ? [] : compilePath(event.fieldsUpdated)(decoded)
  const fieldsUpdated = Array.isArray(fields) ? fields.flatMap((field) => scalarText(field) ?? []) : []
  return {
    name,
    records: isWithoutRecords ? [] : ids.map((id) => ({ id, raw: withIds(decoded, event.ids, [id]) })),
    isMissed: isWithoutRecords || ids.length < new Set(all).size || ids.length === 0,
    ...(time && { time }),
    ...(fieldsUpdated.length > 0 && { fieldsUpdated }),
  }
}

/** Returns the event with other ids: one that names a thousand records is not stored a thousand times as a whole. */
function withIds(decoded: Record<string, unknown>, path: string, ids: string[]): Record<string, unknown> {
  const [first = '', ...rest] = path.split('.')
  const inner = decoded[first]
  if (rest.length === 0) return { ...decoded, [first]: ids }
  return isObject(inner) ? { ...decoded, [first]: withIds(inner, rest.join('.'), ids) } : decoded
}
