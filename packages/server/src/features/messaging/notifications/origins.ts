import { sql } from 'kysely'
import { isId, type ProjectDb } from '../../../kernel/db/index.ts'
import type { MessageOrigin, MessageSource } from '../kinds/index.ts'

/**
 * Finds where messages to a destination come from, in their order: the connection that their installation has now, and
 * the topic that routes their event now. A route may lead to the destination itself, or to one that gives it messages.
 */
export async function findOrigins(
  db: ProjectDb,
  destination: { id: string; name: string },
  sources: readonly MessageSource[],
): Promise<MessageOrigin[]> {
  const installations = sources.map(({ installationId: id }) => (id !== undefined && isId(id) ? id : null))
  const eventTypes = sources.map(({ eventType }) => eventType ?? null)
  const { rows } = await sql<{ connectionId: string | null; topic: string | null }>`
    select i.connection_id as "connectionId",
           case when s.event_type is not null then (
             select t.name
               from event_topic_routes e
               join topic_destination_routes r on r.project_id = e.project_id and r.topic_id = e.topic_id
               join destinations d on d.project_id = r.project_id and d.id = r.destination_id
               join topics t on t.project_id = e.project_id and t.id = e.topic_id
              where e.project_id = ${db.projectId} and e.event_type = s.event_type
                and (d.id = ${destination.id} or ${destination.name} = any(d.members) or d.type = 'by-group')
              order by d.id <> ${destination.id}, t.name
              limit 1) end as topic
      from unnest(${installations}::uuid[], ${eventTypes}::text[]) with ordinality s (installation_id, event_type, position)
      left join installations i on i.project_id = ${db.projectId} and i.id = s.installation_id
     order by s.position`.execute(db.sql)
  return rows.map(({ connectionId, topic }) => ({
    ...(connectionId !== null && { connectionId }),
    ...(topic !== null && { topic }),
  }))
}
