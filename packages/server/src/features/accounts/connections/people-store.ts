import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/** Makes the group where it is missing, named as its ref unless a name is given; a later different name updates it. */
export async function upsertGroup(tx: ProjectDb, groupRef: string, groupName?: string): Promise<void> {
  await sql`
    insert into groups as g (project_id, group_ref, group_name)
    values (${tx.projectId}, ${groupRef}, ${groupName ?? groupRef})
    on conflict (project_id, group_ref) do update set group_name = excluded.group_name, update_time = now()
    where ${groupName !== undefined}::boolean and g.group_name <> excluded.group_name`.execute(tx.sql)
}

/** The same for a consumer. */
export async function upsertConsumer(tx: ProjectDb, consumerRef: string, consumerName?: string): Promise<void> {
  await sql`
    insert into consumers as u (project_id, consumer_ref, consumer_name)
    values (${tx.projectId}, ${consumerRef}, ${consumerName ?? consumerRef})
    on conflict (project_id, consumer_ref) do update set consumer_name = excluded.consumer_name, update_time = now()
    where ${consumerName !== undefined}::boolean and u.consumer_name <> excluded.consumer_name`.execute(tx.sql)
}
