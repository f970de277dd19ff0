import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import type { ClaimedMessage } from './lease-store.ts'
import { messagesTopic } from './topic.ts'

/** A claimed message, and what it belongs to. */
export interface GroupedMessage {
  message: ClaimedMessage
  groupRef: string | undefined
  /** The connection that it names. Otherwise it has that of its installation. */
  connectionId: string | undefined
  installationId: string | undefined
}

interface Routed {
  id: string
  /** Name of the destination of its connection or group, or the default. */
  name: string | null
  /** Undefined if no destination has the name: the message waits for it. */
  targetId: string | null
  /** Whether the destination can receive messages now. */
  open: boolean
}

/**
 * Gives claimed messages of a destination to the destinations of their connections and groups, in one statement. The
 * lease fences each: a message that another worker has leased since is skipped. So are all of them if the destination
 * was disabled or has another type now.
 *
 * @returns the destinations that can receive messages now, and the messages without one, which keep their leases
 */
export async function routeMessages(
  tx: ProjectDb,
  destinationId: string,
  messages: readonly GroupedMessage[],
): Promise<{ open: { id: string; name: string }[]; unrouted: ClaimedMessage[] }> {
  const claimed = JSON.stringify(
    messages.map(({ message, groupRef, connectionId, installationId }) => ({
      ...{ id: message.id, token: message.token, group_ref: groupRef },
      ...{ connection_id: connectionId, installation_id: installationId },
    })),
  )
  const ids = messages.map(({ message }) => message.id)
  const { rows } = await sql<Routed>`
    with routed as materialized (
      select c.id, c.token, coalesce(k.target_name, g.target_name, d.group_default) as name
        from json_to_recordset(${claimed}::json) c (id uuid, token uuid, group_ref text, connection_id uuid, installation_id uuid)
        join destinations d on d.project_id = ${tx.projectId} and d.id = ${destinationId}
                           and d.disabled_time is null and cardinality(d.members) = 0
        left join destination_groups g on g.project_id = ${tx.projectId} and g.destination_id = d.id and g.group_ref = c.group_ref
        left join installations i on i.project_id = ${tx.projectId} and i.id = c.installation_id
        left join destination_connections k on k.project_id = ${tx.projectId} and k.destination_id = d.id
                                           and k.connection_id = coalesce(c.connection_id, i.connection_id)
    ), given as materialized (
      select r.*, t.id as target_id, t.id is not null and t.disabled_time is null and t.probe_at is null as open
        from routed r
        left join destinations t on t.project_id = ${tx.projectId} and t.name = r.name and t.members is null
    ), moved as (
      update messages m
         set destination_id = given.target_id, destination_name = given.name, lease_token = null, lease_until = null
        from given
       where m.project_id = ${tx.projectId} and m.id = any(${ids}::uuid[])
         and m.id = given.id and m.lease_token = given.token and given.name is not null
      returning m.id
    )
    select id, name, target_id as "targetId", open from given
     where name is null or id in (select id from moved)`.execute(tx.sql)
  const moved = rows.flatMap(({ id, name }) => (name === null ? [] : [id]))
  if (moved.length > 0) await publishRows(messagesTopic(tx.projectId), 'changed', moved).execute(tx.sql)
  const without = new Set(rows.filter(({ name }) => name === null).map(({ id }) => id))
  const open = new Map(
    rows.flatMap(({ targetId, name, open }) => (open && targetId !== null && name !== null ? [[targetId, name]] : [])),
  )
  return {
    open: [...open].map(([id, name]) => ({ id, name })),
    unrouted: messages.flatMap(({ message }) => (without.has(message.id) ? [message] : [])),
  }
}
