import { sql } from 'kysely'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { credentialGeneration } from '../../credentials/index.ts'
import { lockConnection } from '../store.ts'

/** How a renewal ended, and what follows from it outside the credential. */
export interface Outcome {
  /** The generation that the outcome is of. */
  generation: number
  /** Moves the status, tells events. */
  tell: (tx: ProjectDb) => Promise<void>
  /** Whether that has still to be done. */
  untold: boolean
  /** For the caller, once the transaction has committed. */
  error?: Error
}

/**
 * Does what follows in a part of the transaction that may fail alone. The credential was locked before the connection
 * here, and others lock them the other way round: no lock is waited for longer than a deadlock takes to be found, so
 * that it is never the others who fail.
 */
export async function told(
  tx: ProjectDb,
  { generation, tell }: Pick<Outcome, 'generation' | 'tell'>,
): Promise<Outcome> {
  try {
    await tx.savepoint(async (part) => {
      await sql`set local lock_timeout = '500ms'`.execute(part.sql)
      await tell(part)
    })
    return { generation, tell, untold: false }
  } catch {
    return { generation, tell, untold: true }
  }
}

/**
 * The same in a transaction of its own, unless the credential was replaced meanwhile: whoever did that has told of it.
 */
export async function tellAgain(
  db: ProjectDb,
  connectionId: string,
  { generation, tell }: Pick<Outcome, 'generation' | 'tell'>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockConnection(tx, connectionId)
    // Asked after the lock: a new credential is written under it.
    if ((await credentialGeneration(tx, connectionId)) === generation) await tell(tx)
  })
}
