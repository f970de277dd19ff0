import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { InstallationHooks } from '../../integrations/installations/index.ts'

/**
 * Locks what is read for installations: first their states, which a claim may hold, then their runs, which may be
 * committing pages.
 */
export async function lockReadsOf(
  tx: ProjectDb,
  { installationIds }: Parameters<InstallationHooks['installationsLocking']>[1],
): Promise<void> {
  await sql`
    select from read_states where project_id = ${tx.projectId} and installation_id = any(${installationIds})
    order by installation_id, object_name for update`.execute(tx.sql)
  await sql`
    select from read_runs where project_id = ${tx.projectId} and installation_id = any(${installationIds})
    order by operation_id for update`.execute(tx.sql)
}
