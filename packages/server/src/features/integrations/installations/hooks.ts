import type { ProjectDb } from '../../../kernel/db/index.ts'

/**
 * Notifies other features of changes of installations. Each call runs in the caller's transaction: the change and what
 * follows from it commit together.
 */
export interface InstallationHooks {
  /** `previousConfigId`: the config that was replaced, when one was. */
  installationChanged(
    tx: ProjectDb,
    change: { installationId: string; kind: 'created' | 'updated'; previousConfigId?: string },
  ): Promise<void>
  /** They are about to be deleted: whoever works on them is waited for, and kept from beginning again. */
  installationsLocking(tx: ProjectDb, change: { installationIds: string[] }): Promise<void>
  /** Before their rows go, with their connections. */
  installationsDeleting(tx: ProjectDb, change: { installationIds: string[] }): Promise<void>
}
