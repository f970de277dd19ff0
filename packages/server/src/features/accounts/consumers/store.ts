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
  /** Only those with this text in the ref or the name, in any case. */
  query?: string | undefined
  after: string | undefined
  limit: number | undefined
}

/** Whether a row has a text in its ref or name. The text is put in lower case once, not for each row. */
const contains = (text: string) => {
  const wanted = sql`(select lower(${text}::text))`
  return sql`(strpos(search_ref, ${wanted}) > 0 or strpos(search_name, ${wanted}) > 0)`
}

// With `offset 0`, the database finds all rows with the text before it sorts them. In the order of the refs, it would
// read each row of the project from another page.

/** Lists groups in the order of their refs. */
export async function listGroupRows(db: ProjectDb, { query, after, limit }: Page): Promise<GroupRow[]> {
  const statement =
    query === undefined
      ? sql<GroupRow>`${prepared}
        select * from groups
         where project_id = ${db.projectId} ${andIf(after, (ref) => sql`group_ref > ${ref}`)}
         order by group_ref limit ${limit ?? null}`
      : sql<GroupRow>`
        select * from (
          select * from groups
           where project_id = ${db.projectId} ${andIf(after, (ref) => sql`group_ref > ${ref}`)} and ${contains(query)}
          offset 0
        ) found
        order by group_ref limit ${limit ?? null}`
  const { rows } = await statement.execute(db.sql)
  return rows
}

/** Lists consumers in the order of their refs. */
export async function listConsumerRows(db: ProjectDb, { query, after, limit }: Page): Promise<ConsumerRow[]> {
  const statement =
    query === undefined
      ? sql<ConsumerRow>`${prepared}
        select * from consumers
         where project_id = ${db.projectId} ${andIf(after, (ref) => sql`consumer_ref > ${ref}`)}
         order by consumer_ref limit ${limit ?? null}`
      : sql<ConsumerRow>`
        select * from (
          select * from consumers
           where project_id = ${db.projectId} ${andIf(after, (ref) => sql`consumer_ref > ${ref}`)} and ${contains(query)}
          offset 0
        ) found
        order by consumer_ref limit ${limit ?? null}`
  const { rows } = await statement.execute(db.sql)
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

/**
 * Creates the groups of `input`, rows of the statement that this is part of, if they are missing. Each row names
 * another group. Its name is its ref unless one is passed; a later different name updates it. Returns the rows that it
 * created or updated.
 */
export const groupUpsert = sql`
  insert into groups as g (project_id, group_ref, group_name)
  select project_id, group_ref, coalesce(group_name, group_ref) from input order by group_ref
  on conflict (project_id, group_ref) do update set group_name = excluded.group_name, update_time = now()
  where g.group_name <> excluded.group_name
    and exists (select from input where input.group_ref = excluded.group_ref and input.group_name is not null)
  returning g.*`

/** Creates or renames consumers by the same rules. */
export const consumerUpsert = sql`
  insert into consumers as u (project_id, consumer_ref, consumer_name)
  select project_id, consumer_ref, coalesce(consumer_name, consumer_ref) from input order by consumer_ref
  on conflict (project_id, consumer_ref) do update set consumer_name = excluded.consumer_name, update_time = now()
  where u.consumer_name <> excluded.consumer_name
    and exists (select from input where input.consumer_ref = excluded.consumer_ref and input.consumer_name is not null)
  returning u.*`

export async function upsertGroup(tx: ProjectDb, groupRef: string, groupName?: string): Promise<void> {
  await sql`${prepared}
    with input as (
      select ${tx.projectId}::uuid as project_id, ${groupRef}::text as group_ref, ${groupName ?? null}::text as group_name
    )
    ${groupUpsert}`.execute(tx.sql)
}

export async function upsertConsumer(tx: ProjectDb, consumerRef: string, consumerName?: string): Promise<void> {
  await sql`${prepared}
    with input as (
      select ${tx.projectId}::uuid as project_id, ${consumerRef}::text as consumer_ref, ${consumerName ?? null}::text as consumer_name
    )
    ${consumerUpsert}`.execute(tx.sql)
}
