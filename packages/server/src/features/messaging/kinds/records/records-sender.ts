import pg from 'pg'
import { OutboundError } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import type { OutgoingMessage, RecordChange, Sender, SenderServices, SendResult } from '../kind.ts'
import { joinChanges, type ReadChanges, readChanges } from './read-changes.ts'
import type { RecordsSettings } from './settings.ts'

/** About the size of messages that are stored in one transaction. Nothing else runs while its records are encrypted. */
const transactionBytes = 2 ** 20

/**
 * Stores the records of messages in the database of this service: in one transaction, or in several if they are large.
 * While PostgreSQL runs one, the records of the next are read and encrypted. If the data of a message cannot be stored,
 * each message gets a separate transaction.
 */
export function openRecords({ encryption = true }: RecordsSettings, services: SenderServices): Sender {
  const store = (changes: Iterable<RecordChange>, after: Promise<unknown>) =>
    services.storeRecords(joinChanges(changes), { isEncrypted: encryption, after })

  async function storeParts(parts: readonly ReadChanges[], after: Promise<unknown>): Promise<SendResult[]> {
    try {
      const isStored = await store(
        parts.flatMap(({ changes }) => changes),
        after,
      )
      return parts.map((part) => (isStored ? resultOf(part) : { outcome: 'cancelled' }))
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined) throw error
      if (parts.length === 1 || !isAboutData(error)) return parts.map(() => refusal)
      const results: SendResult[] = []
      for (const part of parts) results.push(...(await storeParts([part], after)))
      return results
    }
  }

  async function sendAll(batch: readonly OutgoingMessage[], isEnded: () => boolean): Promise<SendResult[]> {
    const results = new Map<OutgoingMessage, SendResult>()
    let parts: ReadChanges[] = []
    let storing: Promise<void> = Promise.resolve()
    const storeAll = async (ready: readonly ReadChanges[], after: Promise<void>) => {
      const stored = await storeParts(ready, after)
      for (const [index, { message }] of ready.entries()) results.set(message, stored[index] ?? lost)
    }
    /** Begins to store what was read, and waits for what was before. */
    const flush = async () => {
      const before = storing
      storing = storeAll(parts, before)
      // The error reaches the code that waits for it. None does if the one before fails.
      storing.catch(() => undefined)
      parts = []
      await before
    }
    for (const message of batch) {
      if (isEnded()) break
      const read = await readChanges(message, services)
      if ('outcome' in read) results.set(message, read)
      else parts.push(read)
      if (parts.reduce((sum, { bytes }) => sum + bytes, 0) >= transactionBytes) await flush()
    }
    if (parts.length > 0 && !isEnded()) await flush()
    await storing
    return batch.map((message) => results.get(message) ?? lost)
  }

  return {
    async send(batch, options) {
      const deadline = startDeadline('The database of Mortise', options)
      const ended = new Promise<never>((_, reject) => {
        const end = () => reject(deadline.passed() ?? new OutboundError('aborted', 'The delivery was canceled.'))
        if (deadline.signal.aborted) end()
        else deadline.signal.addEventListener('abort', end, { once: true })
      })
      try {
        // A statement under way may still commit. The same messages then change nothing.
        return await Promise.race([sendAll(batch, () => deadline.signal.aborted), ended])
      } finally {
        deadline.clear()
      }
    },
    close: async () => undefined,
  }
}

const lost: SendResult = { outcome: 'retry', error: 'The message was not stored.' }

function resultOf({ changes, others }: ReadChanges): SendResult {
  const error = 'The destination stores records only, and this event is about none.'
  if (others.length === 0) return { outcome: 'delivered' }
  if (changes.length === 0) return { outcome: 'refused', error }
  return { outcome: 'delivered', rejected: [{ entries: others, outcome: 'refused', error }] }
}

/** What an error of the database means for the messages. Undefined if the database did not answer. */
function refusalOf(error: unknown): SendResult | undefined {
  const code = codeOf(error)
  if (code === undefined) return undefined
  return {
    outcome: /^(?:22|54)/.test(code) ? 'refused' : 'retry',
    error: `The database of Mortise did not store the records (${code}).`,
  }
}

/** Whether other data would be stored. */
function isAboutData(error: unknown): boolean {
  return /^(?:22|23|54|P0)/.test(codeOf(error) ?? '')
}

/** The five characters of an error of PostgreSQL (appendix A). */
function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}
