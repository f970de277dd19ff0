import type { Sized } from './in-parts.ts'
import { inlineBody, notKept, ResultNotKept } from './inline-result.ts'
import type { OutgoingMessage, SenderServices, SendResult } from './kind.ts'

/** A message that is stored as a row, with all of its records. */
export interface WholeRow extends Sized {
  /**
   * Returns the message with its records. Those that were too large for it are in memory only from here on.
   *
   * @throws ResultNotKept
   */
  load(): Promise<OutgoingMessage>
}

/**
 * Sends messages as rows, each with all of its records, because a URL in a row would expire. A message whose records
 * are too large for a row is refused, so that it becomes a dead letter in place of a row without records.
 *
 * @param rowBytesMax maximum size of the records of a row
 */
export async function sendWholeRows(
  batch: readonly OutgoingMessage[],
  { loadResult, openResult }: Pick<SenderServices, 'loadResult' | 'openResult'>,
  rowBytesMax: number,
  send: (rows: readonly WholeRow[]) => Promise<readonly SendResult[]>,
): Promise<SendResult[]> {
  const refused = new Map<OutgoingMessage, SendResult>()
  const rows: WholeRow[] = []
  for (const message of batch) {
    if (!message.hasResult) {
      rows.push({ message, bytes: message.body.length, load: async () => message })
      continue
    }
    const result = await openResult(message.id)
    if (result === undefined) refused.set(message, notKept)
    else if (result.bytes > rowBytesMax) refused.set(message, tooLarge(result.bytes, rowBytesMax))
    else
      rows.push({
        message,
        bytes: message.body.length + result.bytes,
        async load() {
          const records = await loadResult(message.id)
          if (records === undefined) throw new ResultNotKept()
          return { ...message, body: inlineBody(message, records) }
        },
      })
  }
  const sent = rows.length === 0 ? [] : await send(rows)
  const results = new Map(rows.map(({ message }, at) => [message, sent[at]]))
  return batch.map((message) => refused.get(message) ?? results.get(message) ?? { outcome: 'retry' })
}

function tooLarge(bytes: number, bytesMax: number): SendResult {
  return {
    outcome: 'refused',
    error: `The records of the message have ${bytes} bytes. A row can have ${bytesMax} bytes of them.`,
  }
}
