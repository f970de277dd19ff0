import { sql } from 'kysely'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { credentialGeneration } from '../../credentials/index.ts'
import { lockConnection } from '../store.ts'

/** Outcome of a renewal, and its consequences outside the credential. */
export interface Outcome {
  /** The generation that the outcome belongs to. */
  generation: number
  /** Moves the status and emits events. */
  notify: (tx: ProjectDb) => Promise<void>
  /** Whether `notify` has yet to succeed. */
  isPending: boolean
  /** Thrown to the caller after the transaction has committed. */
  error?: Error
}

/**
 * Runs the consequences in a savepoint, which can fail alone. This transaction locked the credential before the
 * connection, and others lock them in the opposite order. The lock timeout is shorter than PostgreSQL's deadlock check,
 * so the others never fail.
 */
export async function notifyInSavepoint(
  tx: ProjectDb,
  { generation, notify: tell }: Pick<Outcome, 'generation' | 'notify'>,
): Promise<Outcome> {
  try {
    await tx.savepoint(async (part) => {
      await sql`set local lock_timeout = '500ms'`.execute(part.sql)
      await tell(part)
    })
    return { generation, notify: tell, isPending: false }
  } catch {
    return { generation, notify: tell, isPending: true }
  }
}

/**
 * Runs the consequences again in a separate transaction, unless the credential was replaced meanwhile. The replacement
 * has reported its own.
 */
export async function retryNotify(
  db: ProjectDb,
  connectionId: string,
  { generation, notify: tell }: Pick<Outcome, 'generation' | 'notify'>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockConnection(tx, connectionId)
    // Read under the lock, because new credentials are written under it.
    if ((await credentialGeneration(tx, connectionId)) === generation) await tell(tx)
  })
}
