import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/**
 * Removes the ref of a consumer from the configs and installations that it created for others and that stay. Scans
 * those of the whole project: erasures are rare, and an index would cost each write of a config.
 */
export async function forgetAuthor(tx: ProjectDb, consumerRef: string): Promise<void> {
  const author = `consumer:${consumerRef}`
  await sql`
    update configs set created_by = 'consumer:deleted'
    where project_id = ${tx.projectId} and created_by = ${author}`.execute(tx.sql)
  await sql`
    update installations set created_by = 'consumer:deleted'
    where project_id = ${tx.projectId} and created_by = ${author}`.execute(tx.sql)
}
