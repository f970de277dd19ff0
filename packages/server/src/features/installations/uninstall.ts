import type { ProjectDb } from '../../kernel/db/index.ts'
import { deleteUnusedConnection, lockConnectionForDelete } from '../connections/index.ts'
import { InstallationNotFound } from './problems.ts'
import { deleteInstallationRow } from './store.ts'

/** Deletes an installation; its connection too when no other installation uses it. Messages that were posted are still delivered. */
export async function uninstall(db: ProjectDb, installation: { id: string; connectionId: string }): Promise<void> {
  await db.transaction(async (tx) => {
    await lockConnectionForDelete(tx, installation.connectionId)
    if (!(await deleteInstallationRow(tx, installation.id))) throw new InstallationNotFound()
    await deleteUnusedConnection(tx, installation.connectionId)
  })
}
