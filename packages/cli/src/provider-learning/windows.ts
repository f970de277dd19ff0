import type { Json } from './json-values.ts'
import { defined } from './json-values.ts'
import type { Operation, Parameter } from './operations.ts'
import { lettersOf } from './paging.ts'
import type { Shape } from './schemas.ts'

const change =
  '(?:last)?(?:updated?|modified|changed?|modification|lastmodified)(?:at|on|date|time|datetime|timestamp)?'
const since = new RegExp(
  `^(?:filter)?(?:${change}(?:since|after|from|min|gte?|start|greaterthan)|(?:min|from|since)${change}|since|ifmodifiedsince)$`,
)
const until = new RegExp(
  `^(?:filter)?(?:${change}(?:until|before|to|max|lte?|end|lessthan)|(?:max|to|until)${change}|until)$`,
)
/** Fields that change with a record. */
const changeTimes =
  /^(last)?(updated|modified|changed)(at|on|date|time|datetime|timestamp)?$|^last(update|modification)(date|time)?$/

/**
 * Learns how to read only changed records: by a query parameter for times, or by the time in each record.
 *
 * @returns what `incremental` of the object is; undefined if there is neither
 */
export function windowOf({ query }: Operation, record: Shape, times: ReadonlyMap<string, Shape>): Json | undefined {
  const from = query.find((parameter) => since.test(lettersOf(parameter.name)) && isTime(parameter))
  if (from !== undefined) {
    const to = query.find((parameter) => until.test(lettersOf(parameter.name)) && isTime(parameter))
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
  return since.test(lettersOf(name)) || until.test(lettersOf(name))
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
