import { createHash } from 'node:crypto'
import type { OutgoingMessage } from '../kind.ts'
import { cleanText } from './json-text.ts'

/** A record as it was delivered last, or its deletion. */
export interface RecordRow {
  table: string
  group: string
  provider: string
  workspace: string
  id: string
  installation: string
  /** The provider's name of the object. */
  object: string
  /** Id of its message: of two rows of a record, the one with the higher id is newer. */
  message: string
  isDeleted: boolean
  /** Values by column; undefined where the entry has none, so that the row keeps its own. */
  values: Record<string, unknown> | undefined
  raw: unknown
  /** Its position in `result`. */
  entry: number
}

export interface MessageRows {
  records: RecordRow[]
  /** Whether the message itself is kept, because not all of it is about records. */
  isKept: boolean
}

interface Entry {
  id?: unknown
  fields?: Record<string, unknown>
  mappedFields?: Record<string, unknown>
  raw?: unknown
  deleted?: unknown
  subscribeEventType?: unknown
}

interface DataMessage {
  action?: unknown
  resultInfo?: { type?: unknown }
  result?: unknown
  [name: string]: unknown
}

/** Whether the records of a message are not in it. */
export function isByUrl(message: object): boolean {
  return (message as DataMessage).resultInfo?.type === 'url'
}

const recordEvents = new Set<unknown>([undefined, 'create', 'update', 'delete'])

/** Whether an entry of a message says what a row has: it names a record, and is no other event. */
export function isAboutRecord(entry: object): entry is Entry & { id: string } {
  const { id, subscribeEventType } = entry as Entry
  return typeof id === 'string' && id !== '' && recordEvents.has(subscribeEventType)
}

/** Returns the rows of a message: of each record its last entry. */
export function rowsOf(outgoing: Pick<OutgoingMessage, 'id'>, message: object, result?: unknown): MessageRows {
  const data = message as DataMessage
  const entries: unknown = result ?? data.result
  const isData = data.action === 'read' || data.action === 'subscribe'
  if (!isData || !Array.isArray(entries)) return { records: [], isKept: true }
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : '')
  const common = {
    table: tableName(text('objectName')),
    group: text('groupRef'),
    provider: text('provider'),
    workspace: text('workspace'),
    installation: text('installationId'),
    object: text('rawObjectName') || text('objectName'),
    message: outgoing.id,
  }
  const records = new Map<string, RecordRow>()
  const columnOf = columnNames()
  let isKept = false
  for (const [at, entry] of (entries as Entry[]).entries()) {
    if (!isAboutRecord(entry)) isKept = true
    else records.set(entry.id, { ...common, id: entry.id, entry: at, ...contentOf(entry, columnOf) })
  }
  return { records: [...records.values()], isKept }
}

function contentOf(entry: Entry, columnOf: (field: string) => string): Pick<RecordRow, 'isDeleted' | 'values' | 'raw'> {
  const { fields, mappedFields, raw, deleted, subscribeEventType } = entry
  const isDeleted = deleted === true || subscribeEventType === 'delete'
  const values = { ...fields, ...mappedFields }
  const hasValues = !isDeleted && Object.keys(values).length > 0
  return {
    isDeleted,
    values: hasValues
      ? Object.fromEntries(Object.entries(values).map(([name, value]) => [columnOf(name), value]))
      : undefined,
    raw: isDeleted ? undefined : raw,
  }
}

/**
 * Maximum length of an identifier, in bytes (PostgreSQL, section 4.1.1). MySQL takes 64 characters, and file names of
 * tables have up to five bytes for each.
 */
export const nameBytesMax = 63

/** Returns the table of an object: its name in lowercase, with underscores. */
export function tableName(objectName: string): string {
  const name = objectName.toLowerCase().replaceAll(/[^\p{L}\p{N}_]+/gu, '_')
  return cutName(name === '' || name.startsWith('_mortise') ? `object_${name}` : name)
}

/** Returns the column of a field: its name, except that none may look like one of ours. */
export function columnName(field: string): string {
  const name = field.replaceAll('\u0000', '').toWellFormed()
  return cutName(name === '' || name.startsWith('_mortise') ? `field${name}` : name)
}

/** Returns `columnName`, which remembers the fields of one message. */
function columnNames(): (field: string) => string {
  const known = new Map<string, string>()
  return (field) => {
    const name = known.get(field) ?? columnName(field)
    known.set(field, name)
    return name
  }
}

/** Cuts a name that is too long. */
function cutName(name: string): string {
  return Buffer.byteLength(name) <= nameBytesMax ? name : hashedName(name)
}

/** Returns a name that ends with a hash: different names stay different, as far as a short hash can see to that. */
export function hashedName(name: string, of = name): string {
  const hash = createHash('sha256').update(of).digest('hex').slice(0, 8)
  let kept = name
  while (Buffer.byteLength(kept) > nameBytesMax - 1 - hash.length) kept = [...kept].slice(0, -1).join('')
  return `${kept}_${hash}`
}

/** Rows of a table: at most one of each record in each list, and none that a row of a list before it outdates. */
export interface NewestRows {
  /** The newest deletion of each record, where deletions remove rows. */
  removed: RecordRow[]
  /** The newest row of each record that has values. */
  merged: RecordRow[]
  /** The newest row without values, if it is newer: it marks the record, which keeps its values. */
  marked: RecordRow[]
}

type NewestOfTable = Record<keyof NewestRows, Map<string, RecordRow>>

/**
 * The newest rows of each record, by table, in the order of tables and keys: two senders that wait for rows never lock
 * up. What is stored is the same as if each message were stored alone. Keys are compared as they are stored, because
 * warehouses enforce none.
 *
 * @param options.removesRecords whether a deletion removes its row, in place of marking it
 */
export function newestByTable(
  parts: readonly { rows: MessageRows }[],
  { removesRecords }: { removesRecords: boolean },
): Map<string, NewestRows> {
  const tables = new Map<string, NewestOfTable>()
  const keyOfAccount = keysOfAccounts()
  for (const { rows } of parts)
    for (const row of rows.records) {
      const table = tables.get(row.table) ?? { removed: new Map(), merged: new Map(), marked: new Map() }
      tables.set(row.table, table)
      const newest = table[listOf(row, removesRecords)]
      const key = `${keyOfAccount(row)}\n${cleanText(row.id)}`
      const known = newest.get(key)
      if (known === undefined || known.message <= row.message) newest.set(key, row)
    }
  const byName = [...tables].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return new Map(
    byName.map(([table, { removed, merged, marked }]) => [
      table,
      { removed: inOrder(removed), merged: inOrder(merged, removed), marked: inOrder(marked, removed, merged) },
    ]),
  )
}

function listOf({ isDeleted, values }: RecordRow, removesRecords: boolean): keyof NewestRows {
  if (isDeleted && removesRecords) return 'removed'
  return values === undefined ? 'marked' : 'merged'
}

/** Rows in the order of their keys, without those that are not newer than others of their record. */
function inOrder(rows: Map<string, RecordRow>, ...others: Map<string, RecordRow>[]): RecordRow[] {
  const isNewer = (row: RecordRow, than: RecordRow | undefined) => than === undefined || than.message < row.message
  return [...rows]
    .filter(([key, row]) => others.every((other) => isNewer(row, other.get(key))))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row)
}

/** Returns a function that names the account of a row, without a line break. Most rows have that of the one before. */
function keysOfAccounts(): (row: RecordRow) => string {
  let last: RecordRow | undefined
  let key = ''
  return (row) => {
    const { group, provider, workspace } = row
    if (last?.group !== group || last.provider !== provider || last.workspace !== workspace)
      key = JSON.stringify([group, provider, workspace].map(cleanText))
    last = row
    return key
  }
}

const keyHashLength = 32

/** Cuts a text that is too long for a part of a key, in characters. A hash keeps different texts different. */
export function fitted(text: string, lengthMax: number): string {
  const characters = [...text.toWellFormed()]
  if (characters.length <= lengthMax) return characters.join('')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, keyHashLength)
  return `${characters.slice(0, lengthMax - keyHashLength - 1).join('')}_${hash}`
}

/** The value of a column; undefined if a row has none. Names may be those of properties that all objects have. */
export function valueAt(values: Record<string, unknown> | undefined, name: string): unknown {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined
}
