import { filledText, type Values, variablesIn } from './fill.ts'
import { fitted, isJson, type Json, namesOf, unfitted, valueAt, withValue } from './json-paths.ts'
import { within } from './window-texts.ts'

/** What an object of a file says of its records. */
export interface RecordFacts {
  read: Json
  values: Values
  /** Path of the time that the file filters by, if it does. */
  timestamp?: string | undefined
  /** Looks like a deleted record. */
  deleted?: Json | undefined
}

/** Paths of the id, in order. */
export function idPathsOf({ read, values }: Pick<RecordFacts, 'read' | 'values'>): string[] {
  const { id = 'id' } = read
  return (Array.isArray(id) ? (id as string[]) : [String(id)]).map((path) => filledText(path, values) ?? path)
}

export interface RecordChoice {
  time?: Date
  isDeleted?: boolean
  /** Fields that come from the parent: the record does not have them. */
  kept?: readonly string[]
}

/** A record as an item of the list. @param number differs from that of all others */
export function recordOf(facts: RecordFacts, number: number, choice: RecordChoice = {}): unknown {
  const { read, timestamp, deleted } = facts
  const { time = new Date(within.getTime() + number * 1000), isDeleted = false, kept = [] } = choice
  const { paging, only, unwrap, within: inner } = read
  const { kind, key = kind === 'keyset' ? 'id' : undefined, restart } = (paging ?? {}) as Json
  let made = fitted({ note: 'A record of the stand-in.' }, only as Json | undefined)
  if (timestamp !== undefined) made = withValue(made, timestamp, time.toISOString())
  if (isDeleted) made = fitted(made, deleted)
  for (const path of [...idPathsOf(facts), key, isJson(restart) && restart['key']])
    if (typeof path === 'string' && valueAt(made, path) === undefined && !kept.includes(path))
      made = withValue(made, path, String(number))
  if (!isDeleted) made = unfitted(made, deleted)
  if (inner !== undefined) return outerOf(inner as Inner, made, number)
  return unwrap === undefined ? made : withValue({}, String(unwrap), made)
}

interface Inner {
  list: string
  keep?: Record<string, string>
}

/** An item of a list whose own list has the record. */
function outerOf({ list, keep = {} }: Inner, record: unknown, number: number): unknown {
  let item: unknown = withValue({}, list, [record])
  for (const path of Object.values(keep)) item = withValue(item, path, `outer-${number}`)
  return item
}

/** The record in the own list of an item, with what it keeps of the item. */
function innerOf({ list, keep = {} }: Inner, item: unknown): Json {
  const kept = Object.entries(keep).map(([field, path]) => [field, valueAt(item, path)])
  return { ...Object.fromEntries(kept), ...(valueAt(item, list) as Json[])[0] }
}

/** The id that a caller gets. */
export function idOf(facts: RecordFacts, item: unknown, parent: unknown): string {
  const { unwrap, each, within: inner } = facts.read
  const listed = unwrap === undefined ? item : valueAt(item, String(unwrap))
  const record = inner === undefined ? listed : innerOf(inner as Inner, listed)
  const { keep = {} } = (each ?? {}) as { keep?: Record<string, string> }
  const kept = Object.fromEntries(Object.entries(keep).map(([field, path]) => [field, valueAt(parent, path)]))
  const whole = { ...kept, ...(isJson(record) ? record : {}) }
  const parts = idPathsOf(facts).map((path) => String(valueAt(whole, path)))
  return parts.length === 1 ? (parts[0] ?? '') : parts.map(encodeURIComponent).join('/')
}

/** A parent with all that the lists below it use. @param below declarations of these lists */
export function parentOf(each: Json, below: unknown, number: number): Json {
  const {
    id = 'id',
    keep = {},
    only,
    values,
    each: outer,
    keyedBy,
    paging,
  } = each as Record<string, Json | string | undefined>
  const { restart } = (paging ?? {}) as Json
  const keys = isJson(restart) ? [String(restart['key'])] : []
  const fromOuter = isJson(outer) ? Object.keys((outer['keep'] ?? {}) as Json) : []
  const fromValues = Array.isArray(values) ? Object.keys((values[0] ?? {}) as Json) : []
  const used = variablesIn(below).flatMap((name) => (name.startsWith('parent.') ? [name.slice('parent.'.length)] : []))
  let made = fitted(keyedBy === undefined ? {} : { [String(keyedBy)]: String(number) }, only as Json | undefined)
  for (const path of [String(id), ...keys, ...Object.values(keep as Record<string, string>), ...used]) {
    const [first = ''] = namesOf(path)
    if (valueAt(made, path) === undefined && ![...fromOuter, ...fromValues].includes(first))
      made = withValue(made, path, `p${number}`)
  }
  return made as Json
}
