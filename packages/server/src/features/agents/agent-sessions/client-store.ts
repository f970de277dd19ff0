import { type Kysely, type Selectable, sql } from 'kysely'
import { isId, type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'

export type AgentClientRow = Selectable<Tables['agent_clients']>

/** Registrations that nobody has used yet, in a project, and those of the last minute. */
const unusedMax = 1_000
const perMinuteMax = 60

/** Stores a registration; undefined if the project has too many that nobody has used. */
export async function insertAgentClient(
  db: ProjectDb,
  client: { id: string; name: string; redirectUris: readonly string[]; now: Date; expireTime: Date },
): Promise<AgentClientRow | undefined> {
  const { id, name, redirectUris, now, expireTime } = client
  const { rows } = await sql<AgentClientRow>`
    with unused as (
      select count(*) as total, count(*) filter (where create_time > ${now}::timestamptz - interval '1 minute') as recent
        from agent_clients where project_id = ${db.projectId} and not used and expire_time > ${now}
    )
    insert into agent_clients (project_id, id, name, redirect_uris, create_time, expire_time)
    select ${db.projectId}::uuid, ${id}::uuid, ${name}, ${[...redirectUris]}::text[], ${now}::timestamptz, ${expireTime}::timestamptz
      from unused where total < ${unusedMax} and recent < ${perMinuteMax}
    returning *`.execute(db.sql)
  return rows[0]
}

export async function findAgentClient(db: ProjectDb, id: string, now: Date): Promise<AgentClientRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<AgentClientRow>`${prepared}
    select * from agent_clients
     where project_id = ${db.projectId} and id = ${id} and expire_time > ${now}`.execute(db.sql)
  return rows[0]
}

/** Keeps a registration that a person has signed in with. */
export async function keepAgentClient(tx: ProjectDb, id: string, until: Date): Promise<void> {
  if (!isId(id)) return
  await tx.sql
    .updateTable('agent_clients')
    .set({ used: true, expire_time: until })
    .where('project_id', '=', tx.projectId)
    .where('id', '=', id)
    .execute()
}

export async function deleteExpiredClients(system: Kysely<Tables>, now: Date): Promise<void> {
  await system.deleteFrom('agent_clients').where('expire_time', '<=', now).execute()
}
