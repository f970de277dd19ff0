import type { Message } from './message.ts'
import { createTally } from './tally.ts'

/** How much is remembered of each record: its id and how often it came, only their number, or nothing. */
export type TrackRecords = 'ids' | 'count' | 'none'

/** What was accepted: answered with 2xx, so that the sender will not send it again. */
export interface LedgerCounters {
  /** Different messages, by their id. */
  readonly messages: number
  /** Messages that came again after they had been accepted. */
  readonly duplicates: number
  /** Records in all accepted messages, repeated ones included. */
  readonly records: number
  /** Different records; 0 unless their ids are tracked. */
  readonly distinctRecords: number
}

export interface Ledger {
  /** Books an accepted message. A message without an id counts as a message of its own. */
  accept(id: string | undefined, message: Message): void
  /** How often this message was accepted; at most 255. */
  timesAccepted(messageId: string): number
  /** How often this record came; at most 255. */
  timesReceived(objectName: string, recordId: string): number
  counters(): LedgerCounters
}

export function createLedger(track: TrackRecords): Ledger {
  const messages = createTally()
  const records = createTally()
  let messagesWithoutId = 0
  let duplicates = 0
  let recordCount = 0

  return {
    accept(id, { objectName, recordIds }) {
      if (id === undefined) messagesWithoutId++
      else if (messages.add(id) > 0) duplicates++
      if (track === 'none') return
      recordCount += recordIds.length
      if (track === 'count') return
      for (const recordId of recordIds) if (recordId !== undefined) records.add(recordKey(objectName, recordId))
    },
    timesAccepted: (messageId) => messages.count(messageId),
    timesReceived: (objectName, recordId) => records.count(recordKey(objectName, recordId)),
    counters: () => ({
      messages: messages.distinct + messagesWithoutId,
      duplicates,
      records: recordCount,
      distinctRecords: records.distinct,
    }),
  }
}

/** Two objects may use the same ids. */
function recordKey(objectName: string, recordId: string): string {
  return JSON.stringify([objectName, recordId])
}
