import type { ProjectDb } from '../../../kernel/db/index.ts'

/** A backfill or a triggered read that has ended and is not retried. */
export interface EndedRead {
  installationId: string
  /** The provider's name of the object. */
  objectName: string
  kind: 'backfill' | 'triggered'
  outcome: 'success' | 'failure'
  since?: Date
  until?: Date
  /** Why it failed, in a sentence for customers. */
  error?: string
}

/**
 * Notifies other features of reads. Each call runs in the caller's transaction: the change and what follows from
 * it commit together.
 */
export interface ReadHooks {
  readsEnded(tx: ProjectDb, ended: EndedRead[]): Promise<void>
  /** Schedules were paused, automatically (`error` says why) or on request. */
  readsPaused(tx: ProjectDb, paused: { installationId: string; error?: string }[]): Promise<void>
}
