import type { OutgoingMessage, SenderServices, SendResult } from '../kind.ts'
import { isByUrl, type MessageRows, rowsOf } from './rows.ts'

/** A message, with what is stored of it. */
export interface ReadMessage {
  message: OutgoingMessage
  body: object
  rows: MessageRows
  /** Size of what was read. */
  bytes: number
}

/** Reads a message, and its result where that is not in it. */
export async function readRows(
  message: OutgoingMessage,
  { loadResult }: Pick<SenderServices, 'loadResult'>,
): Promise<ReadMessage | SendResult> {
  const body = JSON.parse(message.body.toString()) as object
  if (!isByUrl(body)) return { message, body, rows: rowsOf(message, body), bytes: message.body.length }
  const result = await loadResult(message.id)
  if (result === undefined) return { outcome: 'refused', error: 'The records of the message are not kept any more.' }
  return { message, body, rows: rowsOf(message, body, JSON.parse(result.toString())), bytes: result.length }
}
