import { sql } from 'kysely'
import { andIf, type ProjectDb, prepared } from '../../../kernel/db/index.ts'

/** Groups and consumers: whom the builder's accounts and installations belong to. */

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

interface Page {
  after: string | undefined
  limit: number | undefined
}

/** In the order of their refs. */
export async function listGroupRows(db: ProjectDb, { after, limit }: Page): Promise<GroupRow[]> {
  const { rows } = await sql<GroupRow>`${prepared}
    select * from groups
    where project_id = ${db.projectId} ${andIf(after, (ref) => sql`group_ref > ${ref}`)}
    order by group_ref limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/** In the order of their refs. */
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

/** Locks a group or a consumer against all that would refer to it from now on; answers whether there is one. */
export async function lockOwner(
  tx: ProjectDb,
  owner: { groupRef: string } | { consumerRef: string },
): Promise<boolean> {
  const { rows } = await ('groupRef' in owner
    ? sql`select from groups where project_id = ${tx.projectId} and group_ref = ${owner.groupRef} for update`
    : sql`select from consumers where project_id = ${tx.projectId} and consumer_ref = ${owner.consumerRef} for update`
  ).execute(tx.sql)
  return rows.length > 0
}

export async function deleteOwner(tx: ProjectDb, owner: { groupRef: string } | { consumerRef: string }): Promise<void> {
  await ('groupRef' in owner
    ? sql`delete from groups where project_id = ${tx.projectId} and group_ref = ${owner.groupRef}`
    : sql`delete from consumers where project_id = ${tx.projectId} and consumer_ref = ${owner.consumerRef}`
  ).execute(tx.sql)
}

/**
 * Takes a consumer's ref out of what it made for others: configs and installations that stay. Looks through those of
 * the whole project, which is seldom done and cheaper than an index that every config would pay for.
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
