import { notKept } from '../inline-result.ts'
import type { OutgoingMessage, SenderServices, SendResult } from '../kind.ts'
import { isByUrl, type MessageRows, rowsOf } from './rows.ts'

/** A message, with what is stored of it. */
export interface ReadMessage {
  message: OutgoingMessage
  body: object
  rows: MessageRows
  /** Size of what was read. */
  bytes: number
  /** The records, if they are not in the message. */
  result: Buffer | undefined
}

/** Reads a message, and its result where that is not in it. */
export async function readRows(
  message: OutgoingMessage,
  { loadResult }: Pick<SenderServices, 'loadResult'>,
): Promise<ReadMessage | SendResult> {
  const body = JSON.parse(message.body.toString()) as object
  if (!isByUrl(body)) return { ...readAgain(message, undefined, body), bytes: message.body.length }
  const result = await loadResult(message.id)
  if (result === undefined) return notKept
  return { ...readAgain(message, result, body), bytes: result.length }
}

/** Reads a message whose result was loaded before, if it has one apart. */
export function readAgain(
  message: OutgoingMessage,
  result: Buffer | undefined,
  body = JSON.parse(message.body.toString()) as object,
): Omit<ReadMessage, 'bytes'> {
  const rows = result ? rowsOf(message, body, JSON.parse(result.toString())) : rowsOf(message, body)
  return { message, body, rows, result }
}
