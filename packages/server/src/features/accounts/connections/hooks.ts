import type { RawBuilder } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { ConnectionStatus } from '../../provider-calls/calls/index.ts'

/**
 * Notifies other features of changes to connections. Each call runs in the caller's transaction, so a change and its
 * consequences commit together.
 */
export interface ConnectionHooks {
  /** `isNew` is false if the same account was connected again, or its connection was changed. */
  connectionCreated(tx: ProjectDb, change: { connectionId: string; isNew: boolean }): Promise<void>
  /**
   * A condition of a statement: whether `connectionCreated` has anything to do for `input`, a row with the project and
   * the provider of a new connection. If not, one statement creates the connection.
   */
  followsNewConnection: RawBuilder<boolean>
  /** Called when the access token was renewed. */
  connectionRefreshed(tx: ProjectDb, change: { connectionId: string }): Promise<void>
  /** Not called when a connection that no installation uses starts to work. */
  connectionStatusChanged(
    tx: ProjectDb,
    change: { connectionId: string; from: ConnectionStatus; to: ConnectionStatus; error?: string },
  ): Promise<void>
  /** Called before the rows are deleted, so that they can still be read. */
  connectionsDeleting(tx: ProjectDb, change: { connectionIds: string[] }): Promise<void>
}
