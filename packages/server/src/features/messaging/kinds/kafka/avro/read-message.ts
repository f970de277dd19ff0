import type { OutgoingMessage } from '../../kind.ts'
import { avroName } from './names.ts'
import type { SchemaObject } from './object-schema.ts'

/** A message with records, as it becomes a value in Avro. */
export interface DataMessage {
  object: SchemaObject
  installation: string
  /** The provider's name of the object. */
  rawObject: string
  header: Record<string, unknown>
  numRecords: number
  downloadUrl: string | undefined
  entries: Entry[]
}

interface Entry {
  id: string | undefined
  event: string | undefined
  isDeleted: boolean
  raw: unknown
  /** Fields by their names in Avro. */
  values: Map<string, { original: string; value: unknown }>
  /** What else the entry has. */
  more: readonly (readonly [name: string, value: unknown])[]
}

/** Reads a message. Undefined if it has no records of an object, such as a notification. */
export function readDataMessage({ body }: Pick<OutgoingMessage, 'body'>): DataMessage | undefined {
  const message = JSON.parse(body.toString()) as unknown
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined
  const { result = [], resultInfo, ...header } = message as Record<string, unknown>
  const { action, provider, objectName, rawObjectName, installationId } = header
  if ((action !== 'read' && action !== 'subscribe') || typeof provider !== 'string') return undefined
  if (typeof objectName !== 'string' || !Array.isArray(result)) return undefined
  const nameOf = createNames()
  const { downloadUrl, numRecords } = (resultInfo ?? {}) as Record<string, unknown>
  return {
    object: { provider, objectName },
    installation: typeof installationId === 'string' ? installationId : '',
    rawObject: typeof rawObjectName === 'string' ? rawObjectName : objectName,
    header,
    numRecords: Number.isSafeInteger(numRecords) ? (numRecords as number) : result.length,
    downloadUrl: typeof downloadUrl === 'string' ? downloadUrl : undefined,
    entries: result.map((entry: unknown) => readEntry(entry, nameOf)),
  }
}

/** Returns names in Avro, each made once: the records of a message have the same fields. */
function createNames(): (original: string) => string {
  const known = new Map<string, string>()
  return (original) => {
    const name = known.get(original) ?? avroName(original)
    known.set(original, name)
    return name
  }
}

function readEntry(entry: unknown, nameOf: (original: string) => string): Entry {
  const { id, fields, mappedFields, raw, deleted, subscribeEventType, ...more } = (entry ?? {}) as Record<
    string,
    unknown
  >
  const values: Entry['values'] = new Map()
  for (const part of [fields, mappedFields])
    for (const [original, value] of Object.entries((part ?? {}) as Record<string, unknown>))
      values.set(nameOf(original), { original, value })
  return {
    id: typeof id === 'string' ? id : undefined,
    event: typeof subscribeEventType === 'string' ? subscribeEventType : undefined,
    isDeleted: deleted === true || subscribeEventType === 'delete',
    raw,
    values,
    more: Object.entries(more),
  }
}
