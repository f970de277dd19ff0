import type { ProjectDb } from '../../../kernel/db/index.ts'

/** A read that was asked for and has ended for good. */
export interface EndedRead {
  installationId: string
  /** The provider's name of the object. */
  objectName: string
  kind: 'backfill' | 'triggered'
  outcome: 'success' | 'failure'
  since?: Date
  until?: Date
  /** Public sentence, of a failure. */
  error?: string
}

/**
 * Notifies other features of reads. Each call runs in the caller's transaction: the change and what follows from
 * it commit together.
 */
export interface ReadHooks {
  readsEnded(tx: ProjectDb, ended: EndedRead[]): Promise<void>
  /** Schedules that were paused, by themselves (`error` says why) or on request. */
  readsPaused(tx: ProjectDb, paused: { installationId: string; error?: string }[]): Promise<void>
}
