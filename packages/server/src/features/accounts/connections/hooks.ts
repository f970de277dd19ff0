import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { ConnectionStatus } from '../../provider-calls/calls/index.ts'

/**
 * Notifies other features of changes of connections. Each call runs in the caller's transaction: the change and what
 * follows from it commit together.
 */
export interface ConnectionHooks {
  /** `isNew` is false when the same account was connected again, or its connection was changed. */
  connectionCreated(tx: ProjectDb, change: { connectionId: string; isNew: boolean }): Promise<void>
  /** Its access token was renewed. */
  connectionRefreshed(tx: ProjectDb, change: { connectionId: string }): Promise<void>
  connectionStatusChanged(
    tx: ProjectDb,
    change: { connectionId: string; from: ConnectionStatus; to: ConnectionStatus; error?: string },
  ): Promise<void>
  /** Before their rows go, so that what is said of them can still be read. */
  connectionsDeleting(tx: ProjectDb, change: { connectionIds: string[] }): Promise<void>
}
