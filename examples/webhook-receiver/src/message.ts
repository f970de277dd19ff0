/** The parts of a message that the receiver looks at; everything else is kept as it came. */
export interface Message {
  /** The provider's name of the object that the records belong to; empty where the message names none. */
  readonly objectName: string
  /** The records' ids, where the records stand in the message; undefined for one without an id. */
  readonly recordIds: readonly (string | undefined)[]
  /** Where the records are when they did not fit. */
  readonly downloadUrl: string | undefined
}

/** Reads what it knows from a parsed body. Other bodies, such as notifications, are messages without records. */
export function readMessage(body: unknown): Message {
  const message = isRecord(body) ? body : {}
  const { rawObjectName, objectName, resultInfo, result } = message
  const url = isRecord(resultInfo) && resultInfo['type'] === 'url' ? resultInfo['downloadUrl'] : undefined
  return {
    objectName: [rawObjectName, objectName].find((name) => typeof name === 'string') ?? '',
    recordIds: readRecordIds(result),
    downloadUrl: typeof url === 'string' ? url : undefined,
  }
}

/** The `raw.id` of each entry of a result; none when it is no array, as in a schema message. */
export function readRecordIds(result: unknown): readonly (string | undefined)[] {
  return Array.isArray(result) ? result.map(readRecordId) : []
}

function readRecordId(entry: unknown): string | undefined {
  const raw = isRecord(entry) ? entry['raw'] : undefined
  const id = isRecord(raw) ? raw['id'] : undefined
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
