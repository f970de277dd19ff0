import type { ProjectDb } from '../../../kernel/db/index.ts'

/**
 * Notifies other features of changes of destinations. Each call runs in the caller's transaction: the change and what
 * follows from it commit together.
 */
export interface DestinationHooks {
  destinationChanged(
    tx: ProjectDb,
    change: { destinationId: string; name: string; kind: 'created' | 'updated' | 'deleted' | 'disabled' | 'enabled' },
  ): Promise<void>
}
