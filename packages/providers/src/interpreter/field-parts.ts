import type { Read } from '../catalogue/format/read.ts'
import { ProviderError } from '../provider-error.ts'
import { isObject } from './path.ts'
import { lower, withoutTwins } from './requested-names.ts'

/** The names for `{{fields}}`, in the parts that separate requests ask for. */
export interface FieldParts {
  /** What the list asks for, or the request of one record. */
  first: string[]
  /** What requests by ids ask for. Empty where the first request has all fields. */
  others: string[][]
}

/** A record of more parts costs more than anyone needs. */
const partsMax = 12

/**
 * Splits the names of fields into parts that fit the requests of the object. Each part has the names of `fieldsAlways`
 * and the version. Names of linked records (`Owner.Name`) stay in the first part: requests by ids may not know them.
 *
 * @throws ProviderError `bad_request` for too many fields
 */
export function fieldParts(names: readonly string[], read: Read | undefined): FieldParts {
  const declared = read?.fieldsPerRequest
  if (read === undefined || declared === undefined || fits(declared, names.length, bytesOf(names)))
    return { first: [...names], others: [] }
  const always = alwaysOf(read)
  const known = new Set(always.map(lower))
  const rest = names.filter((name) => !known.has(lower(name)))
  const linked = rest.filter((name) => name.includes('.'))
  const [first, ...others] = filled([...linked, ...rest.filter((name) => !name.includes('.'))], always, declared)
  if (others.length >= partsMax)
    throw new ProviderError(
      'bad_request',
      `The request is not sent: ${names.length} fields need ${others.length + 1} requests, and ${partsMax} is the limit. Select fewer fields.`,
    )
  return { first: first ?? always, others }
}

/**
 * The parts of a page that a URL of the page before led to. That URL has the fields of the first page, and the fields
 * of the object may have changed since: names that no record has make one more part. Each page has those of the file.
 */
export function partsOfNextPage(parts: FieldParts, read: Read, records: readonly unknown[]): FieldParts {
  const present = new Set(records.flatMap((record) => (isObject(record) ? Object.keys(record).map(lower) : [])))
  for (const name of alwaysOf(read)) present.add(lower(name))
  const absent = parts.first.filter((name) => !present.has(lower(name.split('.', 1)[0] ?? name)))
  return absent.length === 0
    ? parts
    : { ...parts, others: [...parts.others, withoutTwins([...alwaysOf(read), ...absent])] }
}

/** What each part asks for. */
function alwaysOf({ fieldsAlways = [], fieldsPerRequest: { version } = {} }: Read): string[] {
  return withoutTwins([...fieldsAlways, ...(version === undefined ? [] : [version])])
}

type Limits = Pick<NonNullable<Read['fieldsPerRequest']>, 'bytes' | 'count'>

function fits({ bytes, count }: Limits, names: number, length: number): boolean {
  return (bytes === undefined || length <= bytes) && (count === undefined || names <= count)
}

/** Parts within the limits, but of one name at least. */
function filled(names: readonly string[], always: readonly string[], limits: Limits): string[][] {
  const parts: string[][] = []
  let part: string[] = []
  let length = bytesOf(always)
  for (const name of names) {
    const more = bytesOf([name])
    if (part.length > 0 && !fits(limits, always.length + part.length + 1, length + more)) {
      parts.push([...always, ...part])
      part = []
      length = bytesOf(always)
    }
    part.push(name)
    length += more
  }
  return [...parts, [...always, ...part]]
}

/** As a query parameter has them, each with the comma after it. */
function bytesOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + encodeURIComponent(`${name.toWellFormed()},`).length, 0)
}
