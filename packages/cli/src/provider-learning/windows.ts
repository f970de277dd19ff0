import type { Json } from './json-values.ts'
import { defined } from './json-values.ts'
import type { Operation, Parameter } from './operations.ts'
import { lettersOf } from './paging.ts'
import type { Shape } from './schemas.ts'

/** What a time of change is called, in letters: `updatedAt`, `lastModifiedDate`. */
const change =
  /^(?:last)?(?:updated?|modified|changed?|modification|lastmodified)(?:at|on|date|time|datetime|timestamp)?$/
/** Words before or after it that say which end of the window it is. */
const bounds = {
  since: {
    after: ['since', 'after', 'from', 'min', 'gte', 'gt', 'start', 'greaterthan'],
    before: ['min', 'from', 'since'],
    alone: ['since', 'ifmodifiedsince'],
  },
  until: {
    after: ['until', 'before', 'to', 'max', 'lte', 'lt', 'end', 'lessthan'],
    before: ['max', 'to', 'until'],
    alone: ['until'],
  },
}
/** Fields that change with a record. */
const changeTimes =
  /^(last)?(updated|modified|changed)(at|on|date|time|datetime|timestamp)?$|^last(update|modification)(date|time)?$/

/**
 * Learns how to read only changed records: by a query parameter for times, or by the time in each record.
 *
 * @returns what `incremental` of the object is; undefined if there is neither
 */
export function windowOf({ query }: Operation, record: Shape, times: ReadonlyMap<string, Shape>): Json | undefined {
  const from = query.find((parameter) => isBound(parameter.name, 'since') && isTime(parameter))
  if (from !== undefined) {
    const to = query.find((parameter) => isBound(parameter.name, 'until') && isTime(parameter))
    const format = formatOf(from)
    return defined({
      format: format === 'rfc3339' ? undefined : format,
      lowerBound: /after$|gt$|greaterthan$/.test(lettersOf(from.name)) ? 'exclusive' : undefined,
      read: {
        query: {
          [from.name]: '{{since}}',
          ...(to !== undefined && formatOf(to) === format && { [to.name]: '{{until}}' }),
        },
      },
    })
  }
  const name = [...record.properties.keys()].find(
    (property) => changeTimes.test(lettersOf(property)) && times.get(property)?.format === 'date-time',
  )
  return name === undefined || !/^[\w-]+$/.test(name) ? undefined : { filter: { timestamp: name } }
}

/** Whether a parameter begins or ends a window. */
export function isWindowName(name: string): boolean {
  return isBound(name, 'since') || isBound(name, 'until')
}

function isBound(name: string, end: keyof typeof bounds): boolean {
  const { after, before, alone } = bounds[end]
  const letters = lettersOf(name)
  const word = letters.startsWith('filter') ? letters.slice('filter'.length) : letters
  return (
    alone.includes(word) ||
    after.some((part) => word.endsWith(part) && change.test(word.slice(0, -part.length))) ||
    before.some((part) => word.startsWith(part) && change.test(word.slice(part.length)))
  )
}

function isTime({ name, shape: { type, format }, description }: Parameter): boolean {
  if (type === undefined || type === 'string') return format !== 'uuid'
  // `since` is an id in some APIs.
  return type === 'integer' && (lettersOf(name) !== 'since' || /time|unix|epoch/i.test(description))
}

function formatOf({ shape: { type, format }, description }: Parameter): string {
  if (type === 'integer') return /milli/i.test(description) ? 'unixMs' : 'unix'
  return format === 'date' ? 'date' : 'rfc3339'
}
