import { declaredRequest } from './declared-request.ts'
import type { Values } from './fill.ts'
import { isJson, type Json, withValue } from './json-paths.ts'
import { pageSizeOf } from './list-pages.ts'
import { idPathsOf } from './records.ts'
import { fixedRoute, type Route } from './stand-in.ts'

/** More fields than one request of the object has room for. */
export interface WideFields {
  names: string[]
  /** What the list asks for. */
  first: string[]
  /** What the request by ids asks for. */
  other: string[]
}

/** Names of such fields begin so: the stand-in's records have them. */
export const wideName = 'Wide_'

/** Two parts: the second has one field, or as few as it takes to need a second. */
export function wideFieldsOf(read: Json): WideFields | undefined {
  const { fieldsPerRequest: declared, fieldsAlways = [] } = read as { fieldsPerRequest?: Json; fieldsAlways?: string[] }
  // With `urlBytesMax`, such a list is not what is requested.
  if (declared === undefined || read['urlBytesMax'] !== undefined) return undefined
  const { version } = declared
  const always = [...new Set([...fieldsAlways, ...(version === undefined ? [] : [String(version)])])]
  const first = [...always]
  const length = (list: string[]) => encodeURIComponent(`${list.join(',')},`).length
  const nameOf = (number: number) => `${wideName}${String(number).padStart(100, '0')}`
  const { bytes = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY } = declared as Record<string, number>
  while (first.length < count && length([...first, nameOf(first.length)]) <= bytes) first.push(nameOf(first.length))
  // So long, and so many, that the names have no room together even without those that are always requested.
  const last = `${nameOf(first.length)}${'0'.repeat(length(always))}`
  const more = always.slice(fieldsAlways.length).map((_, at) => nameOf(first.length + 1 + at))
  const others = Number.isFinite(count) ? [last, ...more] : [last]
  return { names: [...first.slice(always.length), ...others], first, other: [...always, ...others] }
}

/** The requests for the other fields of the records of each page. */
export function wideRoutes(
  object: Json,
  base: string,
  values: Values,
  ids: readonly string[],
  wide: WideFields,
  pageSize: number | undefined,
): Route[] {
  const read = object['read'] as Json
  const { request, version, id: named } = read['fieldsPerRequest'] as Json
  const other = (request ?? object['readByIds']) as Json
  const idPaths = idPathsOf({ read, values })
  const position = named === undefined ? 0 : idPaths.indexOf(String(named))
  const idPath = idPaths[position] ?? 'id'
  const recordOf = (id: string) => {
    const record = wide.other.reduce((made: unknown, name) => withValue(made, name, textFor(name)), {})
    return withValue(version === undefined ? record : withValue(record, String(version), versionValue), idPath, id)
  }
  return slices(ids, pageSizeOf({ listing: read, ...(pageSize !== undefined && { pageSize }) })).flatMap((page) =>
    slices(page, Number(other['max'])).map((some) => {
      const own = named === undefined ? some : some.map((id) => id.split('/')[position] ?? id)
      const body = withValue({}, String(other['records'] ?? ''), own.map(recordOf))
      return fixedRoute(declaredRequest(other, base, { ...values, ids: own, fields: wide.other }), body)
    }),
  )
}

const versionValue = 'version of the stand-in'
const textFor = (name: string) => `value of ${name}`

/** A record of the list with its version, and with the fields of the list. */
export function withWideFields(record: unknown, read: Json, { fields }: Values): unknown {
  const declared = read['fieldsPerRequest']
  if (!isJson(declared)) return record
  // A provider names all requested fields, also those without a value.
  const names = Array.isArray(fields) ? fields.filter((name) => !(isJson(record) && String(name) in record)) : []
  const made = names.reduce((one: unknown, name) => withValue(one, String(name), textFor(String(name))), record)
  const { version } = declared
  // The version may be the time of change, by which the stand-in tells records apart that are in a window.
  const isWide = Array.isArray(fields) && fields.some((name) => String(name).startsWith(wideName))
  if (version === undefined || (!isWide && isJson(record) && String(version) in record)) return made
  return withValue(made, String(version), versionValue)
}

function slices(ids: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size))
}
