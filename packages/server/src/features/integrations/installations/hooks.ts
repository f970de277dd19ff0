import type { ProjectDb } from '../../../kernel/db/index.ts'

/**
 * Notifies other features of changes of installations. Each call runs in the caller's transaction: the change and what
 * follows from it commit together.
 */
export interface InstallationHooks {
  /** `previousConfigId`: the config that was replaced, when one was. `isMoved`: it uses another connection. */
  installationChanged(
    tx: ProjectDb,
    change: { installationId: string; kind: 'created' | 'updated'; previousConfigId?: string; isMoved?: boolean },
  ): Promise<void>
  /** They are about to be deleted: wait for the workers that process them, and keep new ones from starting. */
  installationsLocking(tx: ProjectDb, change: { installationIds: string[] }): Promise<void>
  /** Called before their rows and connections are deleted. */
  installationsDeleting(tx: ProjectDb, change: { installationIds: string[] }): Promise<void>
}
