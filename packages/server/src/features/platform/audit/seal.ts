import type { Kysely } from 'kysely'
import type { Database, Tables } from '../../../kernel/db/index.ts'
import { hashOfEntry, hashOfSeal, noSeal } from './entry.ts'
import { deleteUnsealed, findLastSeal, insertSeal, listUnsealed, listUnsealedLogs, lockLog } from './seal-store.ts'
import { findEntries } from './store.ts'

/** Entries of one seal, and logs of one run, at most. */
const entriesMax = 500
const logsMax = 100

/** Seals waiting entries of all logs. Returns whether there may be more. */
export async function sealLogs({ database }: { database: Pick<Database, 'system'> }): Promise<boolean> {
  const logs = await listUnsealedLogs(database.system, logsMax)
  let more = logs.length === logsMax
  for (const logId of logs) {
    const sealed = await database.system.transaction().execute(async (tx) => await sealNext(tx, logId))
    if (sealed === entriesMax) more = true
  }
  return more
}

/**
 * Adds a seal over the oldest waiting entries of a log to its chain. Writers of entries do not wait: an entry that
 * commits later gets a later seal, whatever its id. Returns the number of entries.
 */
async function sealNext(tx: Kysely<Tables>, logId: string): Promise<number> {
  if (!(await lockLog(tx, logId))) return 0
  const ids = await listUnsealed(tx, logId, entriesMax)
  if (ids.length === 0) return 0
  const entries = new Map((await findEntries({ projectId: logId, sql: tx }, ids)).map((entry) => [entry.id, entry]))
  // A mark without its entry was not made by the service: the entry stays out, and the mark is cleared.
  const found = ids.flatMap((id) => entries.get(id) ?? [])
  const last = (await findLastSeal(tx, logId)) ?? noSeal
  if (found.length > 0) {
    const content = {
      number: last.number + 1,
      firstSequence: last.firstSequence + last.entryIds.length,
      entryIds: found.map(({ id }) => id),
      entryHashes: Buffer.concat(found.map((entry) => hashOfEntry(logId, entry))),
      previousHash: last.hash,
    }
    await insertSeal(tx, logId, { ...content, hash: hashOfSeal(logId, content) })
  }
  await deleteUnsealed(tx, logId, ids)
  return ids.length
}
