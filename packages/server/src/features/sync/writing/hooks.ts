import type { ProjectDb } from '../../../kernel/db/index.ts'

/** An asynchronous write that has ended for good: of one record or of many. */
export interface EndedWrite {
  installationId: string
  /** The provider's name of the object. */
  objectName: string
  /** Whether every record was written. */
  success: boolean
  /** Ids of the records that were. */
  successfulRecordIds: string[]
  /** Public sentences, of those that were not. */
  errors: string[]
}

/**
 * Notifies other features of asynchronous writes. Each call runs in the caller's transaction: the change and what
 * follows from it commit together.
 */
export interface WriteHooks {
  /** Asynchronous writes that have ended for good. */
  writesEnded(tx: ProjectDb, ended: EndedWrite[]): Promise<void>
}
