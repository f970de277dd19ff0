/**
 * The members of every data message in addition to its result, in the order in which they are written. Optional members
 * without a value are left out.
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
  /** The mapped name if the object has one, otherwise the provider's. */
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
   * The exact bytes of the body: UTF-8 JSON. With a `result`, its `downloadUrl` is empty and each attempt fills it in.
   * In a notification, each attempt fills in the placeholders of `part-urls.ts`.
   */
  payload: Buffer
  /**
   * The result of a message that is too large to include it: a JSON array, fetched by a signed URL. In a notification,
   * an object of parts, each fetched separately.
   */
  result?: Buffer
}

/** A message for the destination of this name, which may not exist yet. */
export interface NewMessage extends CutMessage {
  /** The message waits until a destination has this name. */
  destinationName: string
  kind: 'read' | 'subscribe' | 'schema.watch' | 'notification'
  installationId?: string
  operationId?: string
  /** The provider’s name of the object, for the counts. */
  objectName?: string
  /** The event type of a notification. */
  eventType?: string
}

export interface CutLimits {
  /** Maximum size of a whole message, in bytes. */
  messageBytesMax: number
  /** Maximum number of entries in one message. */
  recordsMax?: number
}

/** Maximum size of a message, in bytes. */
export const messageBytesMax = 300_000

/** The end of a message by URL without its URL: `withDownloadUrl` fills it in. */
const emptyUrl = '"}}'

/**
 * Splits a page of entries into messages that keep their order and stay below the limits. An entry that exceeds them
 * becomes a separate message, whose result is fetched by URL.
 *
 * @param entries each a ResultEntry as JSON text
 */
export function cutDataMessages(header: DataMessageHeader, entries: string[], limits: CutLimits): CutMessage[] {
  const start = `${JSON.stringify(header).slice(0, -1)},"resultInfo":{"type":`
  const opening = (count: number) => `${start}"inline","numRecords":${count}},"result":[`
  const closing = ']}'
  const recordsMax = limits.recordsMax ?? Number.POSITIVE_INFINITY
  // No message has a count with more digits than that of all entries.
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

/** Fills in the URL of a message by URL. The URL must need no escape in JSON, as signed URLs do not. */
export function withDownloadUrl(payload: Buffer, downloadUrl: string): Buffer {
  return Buffer.concat([payload.subarray(0, payload.length - emptyUrl.length), Buffer.from(downloadUrl + emptyUrl)])
}
