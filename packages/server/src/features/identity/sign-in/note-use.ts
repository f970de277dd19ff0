import type { Database } from '../../../kernel/db/index.ts'
import { updateUse } from './session-store.ts'

/** How often the last use of a session is stored. */
const useMs = 3_600_000

/** Stores the last use of a session, at most once an hour. */
export async function noteUse(
  { database, now }: { database: Pick<Database, 'system'>; now: () => Date },
  { sessionId, useTime }: { sessionId: string; useTime: Date | null },
): Promise<void> {
  const at = now()
  const unusedSince = new Date(at.getTime() - useMs)
  if (useTime === null || useTime < unusedSince) await updateUse(database.system, sessionId, at, unusedSince)
}
