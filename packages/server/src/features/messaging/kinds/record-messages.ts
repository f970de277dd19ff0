import { EntryScanner, type ScannedEntry } from './entry-scanner.ts'
import { jsonOf } from './http-calls.ts'
import { notKept, partsOfResult, ResultNotKept } from './inline-result.ts'
import type { OutgoingMessage, SenderServices, SendResult } from './kind.ts'

/** A message of one record of another message. Its id is that of the message, a colon, and the position. */
export interface RecordMessage extends OutgoingMessage {
  /** Names the record, in every message that has it. Undefined if it has no id. */
  recordKey: string | undefined
  /** Whether the message says that the record was deleted. */
  isDeletion: boolean
}

/** A part of a message: a message of one record, or the message if it has no records. */
export interface MessagePart {
  message: OutgoingMessage
  /** Position of the record in `result`. Undefined for a whole message. */
  entry: number | undefined
  /** What is sent, or why it cannot be. */
  content: RecordMessage | OutgoingMessage | SendResult
}

/** Maximum size of a record. Memory holds it several times while it is sent. */
export const recordBytesMax = 16 * 2 ** 20

const infoKey = ',"resultInfo":{'
const resultKey = '},"result":['
const start = ',"resultInfo":{"type":"inline","numRecords":1},"result":['
const end = ']}'

/**
 * Splits a message into a message for each of its records, in their order. The bytes of a record stay as they are. A
 * message that has no records is its only part.
 */
export async function* splitIntoRecords(
  message: OutgoingMessage,
  { openResult }: Pick<SenderServices, 'openResult'>,
): AsyncGenerator<MessagePart> {
  const framed = frameOf(message)
  let entry = 0
  if (framed) {
    const { header, head } = framed
    const partOf = (bytes: ScannedEntry): MessagePart => {
      const position = entry++
      if (bytes === undefined) return { message, entry: position, content: tooLarge }
      const { id, isDeletion } = identityOf(bytes)
      const recordKey = id === undefined ? undefined : recordKeyOf(head, id)
      const body = Buffer.concat([header, Buffer.from(start), bytes, Buffer.from(end)])
      const { kind, eventType } = message
      const content = { id: `${message.id}:${position}`, kind, eventType, body, recordKey, isDeletion }
      return { message, entry: position, content }
    }
    try {
      const scanner = new EntryScanner(recordBytesMax)
      for await (const part of arrayOf(message, openResult)) for (const bytes of scanner.push(part)) yield partOf(bytes)
    } catch (error) {
      if (!(error instanceof ResultNotKept)) throw error
      return yield { message, entry: undefined, content: notKept }
    }
  }
  if (entry === 0) yield { message, entry: undefined, content: message }
}

const tooLarge: SendResult = {
  outcome: 'refused',
  error: `The record is larger than ${recordBytesMax / 2 ** 20} MiB.`,
}

interface Frame {
  /** The bytes of the message before `resultInfo`. */
  header: Buffer
  /** The same, parsed. */
  head: Record<string, unknown>
}

/** Quotation marks in a value are escaped, so the key is in no value before it. */
function frameOf({ kind, body }: OutgoingMessage): Frame | undefined {
  if (kind !== 'read' && kind !== 'subscribe') return undefined
  const at = body.indexOf(infoKey)
  if (at < 0) return undefined
  const header = body.subarray(0, at)
  const head = jsonOf({ body: Buffer.concat([header, Buffer.from('}')]) })
  return head && { header, head }
}

/** Reads the list of records. Empty if the message has none. @throws ResultNotKept */
async function* arrayOf(
  { id, body, hasResult }: OutgoingMessage,
  openResult: SenderServices['openResult'],
): AsyncGenerator<Buffer> {
  if (!hasResult) {
    const at = body.indexOf(resultKey, body.indexOf(infoKey))
    if (at >= 0) yield body.subarray(at + resultKey.length - 1)
    return
  }
  const result = await openResult(id)
  if (result === undefined) throw new ResultNotKept()
  yield* partsOfResult(result, 0, result.bytes)
}

/** Reads what a record says of itself. A record without a text as its id has none. */
function identityOf(entry: Buffer): { id: string | undefined; isDeletion: boolean } {
  const { id, deleted, subscribeEventType } = jsonOf({ body: entry }) ?? {}
  return {
    id: typeof id === 'string' && id !== '' ? id : undefined,
    isDeletion: deleted === true || subscribeEventType === 'delete',
  }
}

/**
 * Names a record by its installation, object and id. The object is the provider's name, which a new mapping does not
 * change. Undefined if the message does not say both.
 */
function recordKeyOf(head: Record<string, unknown>, id: string): string | undefined {
  const { installationId, rawObjectName, objectName } = head
  const object = rawObjectName ?? objectName
  if (typeof installationId !== 'string' || typeof object !== 'string') return undefined
  // A colon in the name would make two records one.
  return [installationId, object.replaceAll('%', '%25').replaceAll(':', '%3A'), id].join(':')
}
