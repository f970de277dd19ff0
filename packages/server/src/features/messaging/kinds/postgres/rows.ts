import { createHash } from 'node:crypto'
import type { OutgoingMessage } from '../kind.ts'

/** A record as it was delivered last, or its deletion. */
export interface RecordRow {
  table: string
  group: string
  provider: string
  workspace: string
  id: string
  installation: string
  /** Id of its message: of two rows of a record, the one with the higher id is newer. */
  message: string
  isDeleted: boolean
  /** Values by column; undefined where the entry has none, so that the row keeps its own. */
  values: Record<string, unknown> | undefined
  raw: unknown
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

const recordEvents = new Set([undefined, 'create', 'update', 'delete'])

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
    message: outgoing.id,
  }
  const records = new Map<string, RecordRow>()
  let isKept = false
  for (const entry of entries as Entry[]) {
    const { id, subscribeEventType } = entry
    const isRecord = typeof id === 'string' && id !== '' && recordEvents.has(subscribeEventType as string | undefined)
    if (!isRecord) isKept = true
    else records.set(id, { ...common, id, ...contentOf(entry) })
  }
  return { records: [...records.values()], isKept }
}

function contentOf(entry: Entry): Pick<RecordRow, 'isDeleted' | 'values' | 'raw'> {
  const { fields, mappedFields, raw, deleted, subscribeEventType } = entry
  const isDeleted = deleted === true || subscribeEventType === 'delete'
  const values = { ...fields, ...mappedFields }
  const hasValues = !isDeleted && Object.keys(values).length > 0
  return {
    isDeleted,
    values: hasValues
      ? Object.fromEntries(Object.entries(values).map(([name, value]) => [columnName(name), value]))
      : undefined,
    raw: isDeleted ? undefined : raw,
  }
}

/** Maximum length of an identifier, in bytes (PostgreSQL, section 4.1.1). */
const nameBytesMax = 63

/** Returns the table of an object: its name in lowercase, with underscores. */
export function tableName(objectName: string): string {
  const name = objectName.toLowerCase().replaceAll(/[^\p{L}\p{N}_]+/gu, '_')
  return cut(name === '' || name.startsWith('_mortise') ? `object_${name}` : name)
}

/** Returns the column of a field: its name, except that none may look like one of ours. */
export function columnName(field: string): string {
  const name = field.replaceAll('\u0000', '').toWellFormed()
  return cut(name === '' || name.startsWith('_mortise') ? `field${name}` : name)
}

/** Cuts a name that is too long. Different names stay different, as far as a short hash can see to that. */
function cut(name: string): string {
  if (Buffer.byteLength(name) <= nameBytesMax) return name
  const hash = hashOf(name)
  let kept = name
  while (Buffer.byteLength(kept) > nameBytesMax - 1 - hash.length) kept = [...kept].slice(0, -1).join('')
  return `${kept}_${hash}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
