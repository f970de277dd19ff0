import type { Kysely } from 'kysely'
import type { Config } from '../../../config.ts'
import type { Tables } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import { updatePassword } from '../orgs/index.ts'
import { deleteHalfSignIns } from './factors/half-sign-in-store.ts'
import { confirmPasswordChange } from './job-references.ts'
import { deleteCodes } from './once-store.ts'
import { deleteReset } from './reset-store.ts'
import { deleteSessions } from './session-store.ts'

/**
 * Replaces a person's password and invalidates what the old one gave access to: sessions, codes on their way to a
 * command line, sign-ins that wait for the second factor, and a password reset link. Emails the person if mail is
 * configured. The caller has locked the builder, and forgets the sessions after the transaction has committed.
 *
 * @param change.password the hash
 * @param change.keptSessionId the session that stays valid
 * @returns the ids of the ended sessions
 */
export async function replacePassword(
  tx: Kysely<Tables>,
  { config, now, queue }: { config: Config; now: () => Date; queue: JobQueue },
  builderId: string,
  change: { password: string; emailVerified?: boolean; keptSessionId?: string },
): Promise<string[]> {
  const { keptSessionId, ...changed } = change
  await updatePassword(tx, builderId, changed)
  await deleteReset(tx, builderId)
  await deleteCodes(tx, builderId)
  await deleteHalfSignIns(tx, builderId)
  const ended = await deleteSessions(tx, builderId, keptSessionId)
  if (config.smtpUrl !== undefined) {
    const data = { builderId, time: now().toISOString() }
    await queue.enqueue({ sql: tx }, confirmPasswordChange, data, builderId)
  }
  return ended
}
