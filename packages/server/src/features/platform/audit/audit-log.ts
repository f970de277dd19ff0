import { createBatches, type Database, firstIdAt, newId } from '../../../kernel/db/index.ts'
import { type AuditLog, type AuditRecord, serviceLog } from '../../../kernel/http/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { entryRow, insertEntries, type NewEntry } from './store.ts'

/** Entries of this many concurrent requests share a statement. */
const batchMax = 64

/**
 * Creates the audit log. Entries of concurrent requests to one log share a statement and a commit, and the response of
 * each waits for it. If an entry cannot be stored, the process log gets it.
 *
 * @param orgsOf returns the organizations of a person, whose logs get entries that name no project or organization
 */
export function createAuditLog({
  database,
  now,
  log,
  orgsOf,
}: {
  database: Pick<Database, 'forProject'>
  now: () => Date
  log: Pick<Logger, 'error'>
  orgsOf: (builderId: string) => Promise<string[]>
}): AuditLog {
  const stored = createBatches<NewEntry, void>({
    itemsMax: batchMax,
    async run(logId, entries) {
      await insertEntries(database.forProject(logId), entries)
      return entries.map(() => undefined)
    },
  })
  return {
    row: (record) => entryRow({ id: idAt(now()), record }),
    async record(record) {
      try {
        const logs = await logsOf(record, orgsOf)
        await Promise.all(logs.map((logId) => stored(logId, { id: idAt(now()), record })))
      } catch (err) {
        log.error({ err, entry: record }, 'failed to store an entry of the audit log')
      }
    },
  }
}

/** Returns the logs of an entry. What a person does outside a project is in the log of each of their organizations. */
async function logsOf(
  { log, actor }: AuditRecord,
  orgsOf: (builderId: string) => Promise<string[]>,
): Promise<string[]> {
  if (log !== undefined) return typeof log === 'string' ? [log] : [...log]
  const orgs = actor.kind === 'person' && actor.id !== undefined ? await orgsOf(actor.id) : []
  return orgs.length > 0 ? orgs : [serviceLog]
}

/** Returns a new id that has the time of the service's clock. */
function idAt(time: Date): string {
  const timeLength = 'xxxxxxxx-xxxx'.length
  return firstIdAt(time).slice(0, timeLength) + newId().slice(timeLength)
}
