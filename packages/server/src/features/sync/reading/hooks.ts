import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { PauseReason } from './model.ts'

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

/** Schedules of an installation that were paused. */
export interface PausedReads {
  installationId: string
  objectNames: string[]
  reason: PauseReason
  error?: string
}

/**
 * Notifies other features of reads. Each call runs in the caller's transaction: the change and what follows from
 * it commit together.
 */
export interface ReadHooks {
  readsEnded(tx: ProjectDb, ended: EndedRead[]): Promise<void>
  /** Schedules were paused, automatically (`error` says why) or on request. */
  readsPaused(tx: ProjectDb, paused: PausedReads[]): Promise<void>
  /** Schedules were resumed, on request or because the reason of their pause ended. */
  readsResumed(tx: ProjectDb, resumed: { installationId: string; objectNames: string[] }): Promise<void>
}
