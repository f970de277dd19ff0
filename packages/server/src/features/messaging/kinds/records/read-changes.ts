import { notKept } from '../inline-result.ts'
import type { OutgoingMessage, RecordChange, RecordContent, SenderServices, SendResult } from '../kind.ts'
import { isByUrl } from '../tables/rows.ts'

/** What a message says of records. */
export interface ReadChanges {
  message: OutgoingMessage
  changes: RecordChange[]
  /** Positions of entries that are about no record. */
  others: number[]
  /** Size of what was read. */
  bytes: number
}

interface Entry extends RecordContent {
  id?: unknown
  deleted?: unknown
  subscribeEventType?: unknown
}

interface DataMessage {
  action?: unknown
  result?: unknown
  [name: string]: unknown
}

/** The index of objects takes no longer names. */
const objectBytesMax = 512

const recordEvents = new Set<unknown>([undefined, 'create', 'update', 'delete'])
const contentNames = ['fields', 'mappedFields', 'raw', 'associations'] as const

const refused = (error: string): SendResult => ({ outcome: 'refused', error })

/** Reads a message, and its result where that is not in it. Returns a result if it cannot be stored. */
export async function readChanges(
  message: OutgoingMessage,
  { loadResult }: Pick<SenderServices, 'loadResult'>,
): Promise<ReadChanges | SendResult> {
  // It shows that the destination works, and is about no record.
  if (message.eventType === 'destination.test') return { outcome: 'delivered' }
  const body = JSON.parse(message.body.toString()) as DataMessage
  if (body.action !== 'read' && body.action !== 'subscribe')
    return refused('The destination stores records only. Send notifications and changes of schemas to another one.')
  const loaded = isByUrl(body) ? await loadResult(message.id) : undefined
  if (isByUrl(body) && loaded === undefined) return notKept
  const entries: unknown = loaded === undefined ? body.result : JSON.parse(loaded.toString())
  if (!Array.isArray(entries)) return refused('The message has no list of records.')
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '')
  const common = {
    installation: text('installationId'),
    object: text('objectName'),
    group: text('groupRef'),
    provider: text('provider'),
    workspace: text('workspace'),
  }
  if (Object.values(common).some((value) => value.includes('\0')))
    return refused('The names in the message contain a NUL character.')
  if (common.object === '' || Buffer.byteLength(common.object) > objectBytesMax)
    return refused(`The name of an object must have 1 to ${objectBytesMax} bytes.`)
  if (!uuid.test(common.installation)) return refused('The message names no installation.')
  const read: ReadChanges = { message, changes: [], others: [], bytes: (loaded ?? message.body).length }
  for (const [at, entry] of (entries as (Entry | null)[]).entries()) {
    const change = changeOf(entry, message.id)
    if (change === undefined) read.others.push(at)
    else read.changes.push({ ...common, ...change })
  }
  return read
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type EntryChange = Pick<RecordChange, 'id' | 'message' | 'isDeleted' | 'content'>

/** Undefined for an event that is about no record, such as one about an association. */
function changeOf(entry: Entry | null, message: string): EntryChange | undefined {
  const { id, deleted, subscribeEventType } = entry ?? {}
  if (typeof id !== 'string' || id === '' || id.includes('\0') || !recordEvents.has(subscribeEventType))
    return undefined
  if (deleted === true || subscribeEventType === 'delete')
    return { id, message, isDeleted: true, content: { message, value: undefined } }
  const value = contentOf(entry ?? {})
  return { id, message, isDeleted: false, ...(value && { content: { message, value } }) }
}

/** Undefined where an event names a record without its content. */
function contentOf(entry: Entry): RecordContent | undefined {
  const found = contentNames.filter((name) => isFilled(entry[name]))
  return found.length === 0 ? undefined : Object.fromEntries(found.map((name) => [name, entry[name]]))
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/**
 * Joins what messages say of each record. The newest message says whether it exists, and the newest one with content
 * says what it contains, so that nothing depends on the order.
 */
export function joinChanges(all: Iterable<RecordChange>): RecordChange[] {
  const joined = new Map<string, RecordChange>()
  for (const change of all) {
    const key = JSON.stringify([change.installation, change.object, change.workspace, change.id])
    const known = joined.get(key)
    joined.set(key, known === undefined ? change : newer(known, change))
  }
  return [...joined.values()]
}

/** Of one message, the later entry counts. */
function newer(one: RecordChange, other: RecordChange): RecordChange {
  const { content: _, ...latest } = other.message >= one.message ? other : one
  const contents = [one.content, other.content].filter((content) => content !== undefined)
  const content = contents.reduce<RecordChange['content']>(
    (newest, found) => (newest === undefined || found.message >= newest.message ? found : newest),
    undefined,
  )
  return { ...latest, ...(content && { content }) }
}
