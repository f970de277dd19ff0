import { sql } from 'kysely'
import { andIf, type ProjectDb, prepared } from '../../../kernel/db/index.ts'

/** The group and consumer store: the builder's customers, and the people who connect accounts for them. */

export interface GroupRow {
  project_id: string
  group_ref: string
  group_name: string
  create_time: Date
  update_time: Date | null
}

export interface ConsumerRow {
  project_id: string
  consumer_ref: string
  consumer_name: string
  create_time: Date
  update_time: Date | null
}

/** A group or a consumer, as the owner of connections and installations. */
export type Owner = { groupRef: string } | { consumerRef: string }

interface Page {
  after: string | undefined
  limit: number | undefined
}

/** Lists groups in the order of their refs. */
export async function listGroupRows(db: ProjectDb, { after, limit }: Page): Promise<GroupRow[]> {
  const { rows } = await sql<GroupRow>`${prepared}
    select * from groups
    where project_id = ${db.projectId} ${andIf(after, (ref) => sql`group_ref > ${ref}`)}
    order by group_ref limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/** Lists consumers in the order of their refs. */
export async function listConsumerRows(db: ProjectDb, { after, limit }: Page): Promise<ConsumerRow[]> {
  const { rows } = await sql<ConsumerRow>`${prepared}
    select * from consumers
    where project_id = ${db.projectId} ${andIf(after, (ref) => sql`consumer_ref > ${ref}`)}
    order by consumer_ref limit ${limit ?? null}`.execute(db.sql)
  return rows
}

export async function findGroup(db: ProjectDb, groupRef: string): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`${prepared}
    select * from groups where project_id = ${db.projectId} and group_ref = ${groupRef}`.execute(db.sql)
  return rows[0]
}

export async function findConsumer(db: ProjectDb, consumerRef: string): Promise<ConsumerRow | undefined> {
  const { rows } = await sql<ConsumerRow>`${prepared}
    select * from consumers where project_id = ${db.projectId} and consumer_ref = ${consumerRef}`.execute(db.sql)
  return rows[0]
}

/** Locks a group or a consumer, so that nothing new can refer to it. Returns false when there is none. */
export async function lockOwner(tx: ProjectDb, owner: Owner): Promise<boolean> {
  const { rows } = await ('groupRef' in owner
    ? sql`select from groups where project_id = ${tx.projectId} and group_ref = ${owner.groupRef} for update`
    : sql`select from consumers where project_id = ${tx.projectId} and consumer_ref = ${owner.consumerRef} for update`
  ).execute(tx.sql)
  return rows.length > 0
}

export async function deleteOwner(tx: ProjectDb, owner: Owner): Promise<void> {
  await ('groupRef' in owner
    ? sql`delete from groups where project_id = ${tx.projectId} and group_ref = ${owner.groupRef}`
    : sql`delete from consumers where project_id = ${tx.projectId} and consumer_ref = ${owner.consumerRef}`
  ).execute(tx.sql)
}

/** Creates the group if it is missing. Its name is its ref unless one is passed; a later different name updates it. */
export async function upsertGroup(tx: ProjectDb, groupRef: string, groupName?: string): Promise<void> {
  await sql`
    insert into groups as g (project_id, group_ref, group_name)
    values (${tx.projectId}, ${groupRef}, ${groupName ?? groupRef})
    on conflict (project_id, group_ref) do update set group_name = excluded.group_name, update_time = now()
    where ${groupName !== undefined}::boolean and g.group_name <> excluded.group_name`.execute(tx.sql)
}

/** Creates or renames a consumer by the same rules. */
export async function upsertConsumer(tx: ProjectDb, consumerRef: string, consumerName?: string): Promise<void> {
  await sql`
    insert into consumers as u (project_id, consumer_ref, consumer_name)
    values (${tx.projectId}, ${consumerRef}, ${consumerName ?? consumerRef})
    on conflict (project_id, consumer_ref) do update set consumer_name = excluded.consumer_name, update_time = now()
    where ${consumerName !== undefined}::boolean and u.consumer_name <> excluded.consumer_name`.execute(tx.sql)
}
