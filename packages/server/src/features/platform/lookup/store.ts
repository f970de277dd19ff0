import { type RawBuilder, sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { ResultKind } from './model.ts'

/** A resource that was found. */
export interface FoundRow {
  kind: ResultKind
  id: string
  name: string
  integration_id: string | null
  installation_id: string | null
  group_ref: string | null
  destination_id: string | null
  provider: string | null
  /** 0 for an id, 1 for a whole name, 2 for the beginning of a name, 3 for a part. */
  match: number
}

/** Columns of `FoundRow` that follow kind, id and name. */
function parents(of: {
  integration?: RawBuilder<unknown>
  installation?: RawBuilder<unknown>
  group?: RawBuilder<unknown>
  destination?: RawBuilder<unknown>
  provider?: RawBuilder<unknown>
}) {
  const none = sql`null`
  return sql`${of.integration ?? none}::uuid as integration_id, ${of.installation ?? none}::uuid as installation_id,
    ${of.group ?? none}::text as group_ref, ${of.destination ?? none}::uuid as destination_id, ${of.provider ?? none}::text as provider`
}

/**
 * Finds the resources with an id. Each part is one lookup in a primary key; those of operations and messages read the
 * partition of the day of the id.
 */
export async function findById(db: ProjectDb, id: string): Promise<FoundRow[]> {
  const project = db.projectId
  const { rows } = await sql<FoundRow>`
    select 'installation' as kind, i.id::text, g.group_name as name,
           ${parents({ integration: sql`i.integration_id`, group: sql`i.group_ref` })}, 0 as match
      from installations i join groups g on g.project_id = i.project_id and g.group_ref = i.group_ref
     where i.project_id = ${project} and i.id = ${id}
    union all
    select 'connection', c.id::text, g.group_name, ${parents({ group: sql`c.group_ref`, provider: sql`c.provider` })}, 0
      from connections c join groups g on g.project_id = c.project_id and g.group_ref = c.group_ref
     where c.project_id = ${project} and c.id = ${id}
    union all
    select 'operation', o.id::text, case when o.resource is null then o.action_type else o.resource end,
           ${parents({ integration: sql`o.integration_id`, installation: sql`o.installation_id` })}, 0
      from operations o where o.project_id = ${project} and o.id = ${id}
    union all
    select 'message', m.id::text, m.destination_name,
           ${parents({ installation: sql`m.installation_id`, destination: sql`m.destination_id` })}, 0
      from messages m where m.project_id = ${project} and m.id = ${id}
    union all
    select 'integration', n.id::text, n.name, ${parents({ provider: sql`n.provider` })}, 0
      from integrations n where n.project_id = ${project} and n.id = ${id}
    union all
    select 'revision', r.id::text, n.name, ${parents({ integration: sql`r.integration_id`, provider: sql`n.provider` })}, 0
      from revisions r join integrations n on n.project_id = r.project_id and n.id = r.integration_id
     where r.project_id = ${project} and r.id = ${id}
    union all
    select 'destination', d.id::text, d.name, ${parents({})}, 0
      from destinations d where d.project_id = ${project} and d.id = ${id}
    union all
    select 'topic', t.id::text, t.name, ${parents({})}, 0
      from topics t where t.project_id = ${project} and t.id = ${id}
    union all
    select 'providerApp', a.id::text, a.client_id, ${parents({ provider: sql`a.provider` })}, 0
      from provider_apps a where a.project_id = ${project} and a.id = ${id}
    union all
    select 'apiKey', k.id::text, k.label, ${parents({})}, 0
      from api_keys k where k.project_id = ${project} and k.id = ${id}`.execute(db.sql)
  return rows
}

/** How a name in lower case matches. */
const matchOf = (name: RawBuilder<unknown>, text: string) =>
  sql`case when ${name} = lower(${text}) then 1 when starts_with(${name}, lower(${text})) then 2 else 3 end`

/** A name that begins with a text. The index answers both bounds, with the names in the order of their bytes. */
const beginsWith = (name: RawBuilder<unknown>, text: string) =>
  sql`${name} ~>=~ lower(${text}) and ${name} ~<~ (lower(${text}) || chr(1114111))`
const [ref, name] = [sql`search_ref`, sql`search_name`]

const groups = (db: ProjectDb, column: RawBuilder<unknown>, text: string, limit: number) => sql`(
  select 'group' as kind, group_ref as id, group_name as name, ${parents({})}, ${matchOf(column, text)} as match
    from groups where project_id = ${db.projectId} and ${beginsWith(column, text)}
   order by ${column} using ~<~ limit ${limit})`
const consumers = (db: ProjectDb, column: RawBuilder<unknown>, text: string, limit: number) => sql`(
  select 'consumer' as kind, consumer_ref as id, consumer_name as name, ${parents({})}, ${matchOf(column, text)} as match
    from consumers where project_id = ${db.projectId} and ${beginsWith(column, text)}
   order by ${column} using ~<~ limit ${limit})`

/** Finds resources whose name or ref begins with a text, in any case, and the few named resources that contain it. */
export async function findByPrefix(db: ProjectDb, text: string, limit: number): Promise<FoundRow[]> {
  const has = (name: RawBuilder<unknown>) => sql`strpos(lower(${name}), lower(${text})) > 0`
  const match = (name: RawBuilder<unknown>) => matchOf(sql`lower(${name})`, text)
  const best = sql`order by match, name limit ${limit}`
  const { rows } = await sql<FoundRow>`
    ${groups(db, ref, text, limit)} union all ${groups(db, name, text, limit)}
    union all ${consumers(db, ref, text, limit)} union all ${consumers(db, name, text, limit)}
    union all (select 'integration' as kind, id::text as id, name, ${parents({ provider: sql`provider` })}, ${match(sql`name`)} as match
      from integrations where project_id = ${db.projectId} and ${has(sql`name`)} ${best})
    union all (select 'destination' as kind, id::text as id, name, ${parents({})}, ${match(sql`name`)} as match
      from destinations where project_id = ${db.projectId} and ${has(sql`name`)} ${best})
    union all (select 'topic' as kind, id::text as id, name, ${parents({})}, ${match(sql`name`)} as match
      from topics where project_id = ${db.projectId} and ${has(sql`name`)} ${best})
    union all (select 'providerApp' as kind, id::text as id, client_id as name, ${parents({ provider: sql`provider` })},
        least(${match(sql`client_id`)}, ${match(sql`external_ref`)}) as match
      from provider_apps where project_id = ${db.projectId} and (${has(sql`client_id`)} or ${has(sql`external_ref`)}) ${best})
    union all (select 'apiKey' as kind, id::text as id, label as name, ${parents({})}, ${match(sql`label`)} as match
      from api_keys where project_id = ${db.projectId} and ${has(sql`label`)} ${best})`.execute(db.sql)
  return rows
}

/** Finds groups and consumers whose name or ref contains a text. Examines a limited number of each. */
export async function findByPart(
  db: ProjectDb,
  text: string,
  { limit, examinedMax }: { limit: number; examinedMax: number },
): Promise<FoundRow[]> {
  const isContained = sql`(strpos(search_ref, lower(${text})) > 0 or strpos(search_name, lower(${text})) > 0)`
  const { rows } = await sql<FoundRow>`
    (select 'group' as kind, group_ref as id, group_name as name, ${parents({})}, 3 as match
       from (select * from groups where project_id = ${db.projectId} limit ${examinedMax}) examined
      where ${isContained} limit ${limit})
    union all
    (select 'consumer' as kind, consumer_ref as id, consumer_name as name, ${parents({})}, 3 as match
       from (select * from consumers where project_id = ${db.projectId} limit ${examinedMax}) examined
      where ${isContained} limit ${limit})`.execute(db.sql)
  return rows
}
