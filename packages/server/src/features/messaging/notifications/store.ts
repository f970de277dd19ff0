import { type RawBuilder, sql } from 'kysely'
import { andIf, isId, type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import type { PageBounds } from '../../../kernel/http/index.ts'
import { answeredContent, type ConfigContent } from '../../integrations/installations/index.ts'
import type { EventType } from './event-types.ts'
import type { EventTopicRouteRow, TopicDestinationRouteRow, TopicRow } from './model.ts'

/** Inserts a topic. Returns undefined when the name is taken. */
export async function insertTopic(db: ProjectDb, topic: { id: string; name: string }): Promise<TopicRow | undefined> {
  return db.sql
    .insertInto('topics')
    .values({ project_id: db.projectId, ...topic })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Lists topics, oldest first. */
export async function listTopicRows(db: ProjectDb, { after, limit }: PageBounds = {}): Promise<TopicRow[]> {
  const { rows } = await sql<TopicRow>`${prepared}
    select * from topics where project_id = ${db.projectId} ${andIf(after, (id) => sql`id > ${id}`)}
    order by id limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/**
 * Updates a topic. Returns undefined when it does not exist. Throws the database's unique violation (23505) when the
 * name is taken.
 */
export async function updateTopicRow(
  db: ProjectDb,
  { id, name }: { id: string; name: string },
): Promise<TopicRow | undefined> {
  return db.sql
    .updateTable('topics')
    .set({ name, update_time: sql`now()` })
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** Deletes a topic with its routes. Returns whether it existed. */
export function deleteTopicRow(db: ProjectDb, id: string): Promise<boolean> {
  return deleteFrom(db, 'topics', id)
}

/** Keeps a topic from being deleted until the transaction ends. Returns whether it exists. */
export function lockTopic(tx: ProjectDb, id: string): Promise<boolean> {
  return lockRow(tx, 'topics', id)
}

/** Does the same for a destination. */
export function lockDestination(tx: ProjectDb, id: string): Promise<boolean> {
  return lockRow(tx, 'destinations', id)
}

async function lockRow(tx: ProjectDb, table: 'topics' | 'destinations', id: string): Promise<boolean> {
  if (!isId(id)) return false
  const { rows } = await sql`
    select 1 from ${sql.table(table)} where project_id = ${tx.projectId} and id = ${id} for key share`.execute(tx.sql)
  return rows.length > 0
}

/** Inserts a route. Returns undefined when it exists already. */
export async function insertEventTopicRoute(
  tx: ProjectDb,
  { id, eventType, topicId }: { id: string; eventType: string; topicId: string },
): Promise<EventTopicRouteRow | undefined> {
  return tx.sql
    .insertInto('event_topic_routes')
    .values({ project_id: tx.projectId, id, event_type: eventType, topic_id: topicId })
    .onConflict((conflict) => conflict.columns(['project_id', 'event_type', 'topic_id']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Lists routes, oldest first. */
export async function listEventTopicRouteRows(
  db: ProjectDb,
  { topicId, eventType }: { topicId?: string; eventType?: string },
  { after, limit }: PageBounds = {},
): Promise<EventTopicRouteRow[]> {
  if (topicId !== undefined && !isId(topicId)) return []
  const { rows } = await sql<EventTopicRouteRow>`${prepared}
    select * from event_topic_routes
    where project_id = ${db.projectId}
      ${andIf(topicId, (id) => sql`topic_id = ${id}`)}
      ${andIf(eventType, (type) => sql`event_type = ${type}`)}
      ${andIf(after, (id) => sql`id > ${id}`)}
    order by id limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/** Deletes a route. Returns whether it existed. */
export function deleteEventTopicRouteRow(db: ProjectDb, id: string): Promise<boolean> {
  return deleteFrom(db, 'event_topic_routes', id)
}

/** Inserts a route. Returns undefined when it exists already. */
export async function insertTopicDestinationRoute(
  tx: ProjectDb,
  { id, topicId, destinationId }: { id: string; topicId: string; destinationId: string },
): Promise<TopicDestinationRouteRow | undefined> {
  return tx.sql
    .insertInto('topic_destination_routes')
    .values({ project_id: tx.projectId, id, topic_id: topicId, destination_id: destinationId })
    .onConflict((conflict) => conflict.columns(['project_id', 'topic_id', 'destination_id']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Lists routes, oldest first. */
export async function listTopicDestinationRouteRows(
  db: ProjectDb,
  { topicId, destinationId }: { topicId?: string; destinationId?: string },
  { after, limit }: PageBounds = {},
): Promise<TopicDestinationRouteRow[]> {
  if ([topicId, destinationId].some((id) => id !== undefined && !isId(id))) return []
  const { rows } = await sql<TopicDestinationRouteRow>`${prepared}
    select * from topic_destination_routes
    where project_id = ${db.projectId}
      ${andIf(topicId, (id) => sql`topic_id = ${id}`)}
      ${andIf(destinationId, (id) => sql`destination_id = ${id}`)}
      ${andIf(after, (id) => sql`id > ${id}`)}
    order by id limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/** Deletes a route. Returns whether it existed. */
export function deleteTopicDestinationRouteRow(db: ProjectDb, id: string): Promise<boolean> {
  return deleteFrom(db, 'topic_destination_routes', id)
}

async function deleteFrom(
  db: ProjectDb,
  table: 'topics' | 'event_topic_routes' | 'topic_destination_routes',
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    delete from ${sql.table(table)} where project_id = ${db.projectId} and id = ${id} returning id`.execute(db.sql)
  return rows.length > 0
}

/** A destination of an event. */
export interface EventTarget {
  eventType: string
  destinationId: string
  destinationName: string
}

/**
 * Lists the destinations of events of these types: each once, however many topics lead to it. Costs one lookup in the
 * unique index of the event routes when nothing is routed.
 */
export async function listEventTargets(db: ProjectDb, eventTypes: string[]): Promise<EventTarget[]> {
  const { rows } = await sql<EventTarget>`
    select distinct e.event_type as "eventType", d.id as "destinationId", d.name as "destinationName"
      from event_topic_routes e
      join topic_destination_routes t on t.project_id = e.project_id and t.topic_id = e.topic_id
      join destinations d on d.project_id = t.project_id and d.id = t.destination_id
     where e.project_id = ${db.projectId} and e.event_type = any(${eventTypes})
     order by 1, 2`.execute(db.sql)
  return rows
}

/** Returns a condition: whether the project of `input` routes events of this type to a topic. */
export function isRouted(eventType: EventType): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from event_topic_routes e where e.project_id = input.project_id and e.event_type = ${sql.lit(eventType)})`
}

/** The properties of an installation in notifications. */
export interface InstallationFacts {
  installationId: string
  integrationId: string
  integrationName: string
  connectionId: string
  provider: string
  groupRef: string
  groupName: string
  consumerRef: string
  consumerName: string
  /** The content of its config, as the API returns it. */
  config: ConfigContent
}

/** Lists installations in the order of their ids, without deleted ones. */
export async function listInstallationFacts(db: ProjectDb, ids: string[]): Promise<InstallationFacts[]> {
  const { rows } = await sql<InstallationFacts>`
    select i.id as "installationId", n.id as "integrationId", n.name as "integrationName", c.id as "connectionId", c.provider,
           g.group_ref as "groupRef", g.group_name as "groupName", u.consumer_ref as "consumerRef",
           u.consumer_name as "consumerName", f.content as config
      from installations i
      join integrations n on n.project_id = i.project_id and n.id = i.integration_id
      join connections c on c.project_id = i.project_id and c.id = i.connection_id
      join groups g on g.project_id = i.project_id and g.group_ref = i.group_ref
      join consumers u on u.project_id = c.project_id and u.consumer_ref = c.consumer_ref
      join configs f on f.project_id = i.project_id and f.id = i.config_id
     where i.project_id = ${db.projectId} and i.id = any(${ids}::uuid[])
     order by i.id`.execute(db.sql)
  return rows.map((row) => ({ ...row, config: answeredContent(row.config) }))
}

/** Finds the content of a config, current or earlier. */
export async function findConfigContent(db: ProjectDb, id: string): Promise<ConfigContent | undefined> {
  const { rows } = await sql<{ content: ConfigContent }>`
    select content from configs where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0] && answeredContent(rows[0].content)
}

/** The properties of a connection in notifications. */
export interface ConnectionFacts {
  connectionId: string
  provider: string
  groupRef: string
  consumerRef: string
  consumerName: string
}

export async function listConnectionFacts(db: ProjectDb, ids: string[]): Promise<ConnectionFacts[]> {
  const { rows } = await sql<ConnectionFacts>`
    select c.id as "connectionId", c.provider, c.group_ref as "groupRef", u.consumer_ref as "consumerRef",
           u.consumer_name as "consumerName"
      from connections c join consumers u on u.project_id = c.project_id and u.consumer_ref = c.consumer_ref
     where c.project_id = ${db.projectId} and c.id = any(${ids})
     order by c.id`.execute(db.sql)
  return rows
}
