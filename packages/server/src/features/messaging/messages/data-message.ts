/**
 * What every data message says beside its result, in the order in which it is written. Optional fields are left out
 * when there is nothing to say.
 */
export interface DataMessageHeader {
  action: 'read' | 'subscribe' | 'schema.watch'
  projectId: string
  provider: string
  groupRef: string
  groupName: string
  consumerRef: string
  consumerName: string
  installationId: string
  /** RFC 3339 date-time of the last new config. */
  installationUpdateTime: string
  /** The mapped name when the object has one, else the provider's. */
  objectName: string
  /** The provider's name. */
  rawObjectName?: string
  workspace?: string
  operationId?: string
  /** RFC 3339 date-time. */
  operationTime?: string
  readType?: 'backfill' | 'scheduled' | 'triggered'
}

/** One message, ready to be posted. */
export interface CutMessage {
  /**
   * The exact bytes of the body: UTF-8 JSON. With a `result`, its `downloadUrl` is empty and is filled in at each
   * attempt; in a notification so are the places of `part-urls.ts`.
   */
  payload: Buffer
  /**
   * The result of a message that is too large to carry it: a JSON array, fetched by a signed URL. Of a notification an
   * object of parts, each fetched by itself.
   */
  result?: Buffer
}

/** A message on its way to a destination that is named, not necessarily there yet. */
export interface NewMessage extends CutMessage {
  /** While no destination has this name, the message is held. */
  destinationName: string
  kind: 'read' | 'subscribe' | 'schema.watch' | 'notification'
  installationId?: string
  operationId?: string
  /** Of a notification: what it tells of. */
  eventType?: string
}

export interface CutLimits {
  /** Bytes of a whole message at most. */
  messageBytesMax: number
  /** Entries of one message at most. */
  recordsMax?: number
}

/** Most bytes that a message may have. */
export const messageBytesMax = 300_000

/** How a message by URL ends, before the URL is known: `withDownloadUrl` writes it in. */
const emptyUrl = '"}}'

/**
 * Cuts a page of entries into messages that keep their order and stay below the limits. An entry that is too large by
 * itself becomes a message of its own whose result is fetched by URL.
 *
 * @param entries each a ResultEntry as JSON text
 */
export function cutDataMessages(header: DataMessageHeader, entries: string[], limits: CutLimits): CutMessage[] {
  const start = `${JSON.stringify(header).slice(0, -1)},"resultInfo":{"type":`
  const opening = (count: number) => `${start}"inline","numRecords":${count}},"result":[`
  const closing = ']}'
  const recordsMax = limits.recordsMax ?? Number.POSITIVE_INFINITY
  // The count never has more digits than that of all entries.
  const frameBytes = Buffer.byteLength(opening(entries.length)) + closing.length
  const messages: CutMessage[] = []
  let first = 0
  let bytes = frameBytes
  const flush = (end: number) => {
    if (end > first) {
      const inside = entries.slice(first, end).join(',')
      messages.push({ payload: Buffer.from(opening(end - first) + inside + closing) })
    }
    first = end
    bytes = frameBytes
  }
  for (const [index, entry] of entries.entries()) {
    const entryBytes = Buffer.byteLength(entry)
    if (frameBytes + entryBytes > limits.messageBytesMax) {
      flush(index)
      const payload = Buffer.from(`${start}"url","numRecords":1,"downloadUrl":"${emptyUrl}`)
      messages.push({ payload, result: Buffer.from(`[${entry}]`) })
      first = index + 1
      continue
    }
    const comma = index > first ? 1 : 0
    if (bytes + comma + entryBytes > limits.messageBytesMax || index - first >= recordsMax) {
      flush(index)
      bytes += entryBytes
    } else bytes += comma + entryBytes
  }
  flush(entries.length)
  return messages
}

/** The body of a message by URL with the URL written in. The URL must need no escape in JSON, as signed URLs do not. */
export function withDownloadUrl(payload: Buffer, downloadUrl: string): Buffer {
  return Buffer.concat([payload.subarray(0, payload.length - emptyUrl.length), Buffer.from(downloadUrl + emptyUrl)])
}
