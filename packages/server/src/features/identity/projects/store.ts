import { type Kysely, type RawBuilder, sql } from 'kysely'
import { andIf, isId, type NewId, type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'
import type { OrgRole, PageBounds } from '../../../kernel/http/index.ts'
import type { ProjectRow } from './model.ts'
import { roleOf, type StoredRole } from './stored-role.ts'

export async function getProjectRow(db: ProjectDb): Promise<ProjectRow> {
  const { rows } = await sql<ProjectRow>`${prepared} select * from projects where id = ${db.projectId}`.execute(db.sql)
  const [row] = rows
  if (row === undefined) throw new Error(`The project ${db.projectId} does not exist.`)
  return row
}

/**
 * Returns the application name that end users see; undefined until the builder has chosen one. The first start gives
 * the project `default` its own name as the application name.
 */
export async function findAppName(db: ProjectDb): Promise<string | undefined> {
  return shownAppName(await getProjectRow(db))
}

/** Returns the application name of a project that end users see; undefined until the builder has chosen one. */
export function shownAppName({ name, app_name }: Pick<ProjectRow, 'name' | 'app_name'>): string | undefined {
  return name === 'default' && app_name === name ? undefined : app_name
}

/**
 * Finds the project of this name, or creates it with its organization. The caller holds a lock that keeps other nodes
 * from doing the same.
 *
 * @returns the id of the project
 */
export async function ensureProject(tx: Kysely<Tables>, name: string, newId: NewId): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with found as (select id from projects where name = ${name}),
    org as (
      insert into orgs (id, label) select ${newId()}::uuid, ${name} where not exists (select from found) returning id
    ),
    made as (
      insert into projects (id, org_id, name, app_name) select ${newId()}::uuid, org.id, ${name}, ${name} from org returning id
    )
    select id from found union all select id from made`.execute(tx)
  const [project] = rows
  if (project === undefined) throw new Error(`The project ${name} was neither found nor created.`)
  return project.id
}

/** Returns the id of the organization that owns the project of this name. */
export async function findOrgOfProject(system: Kysely<Tables>, name: string): Promise<string | undefined> {
  const row = await system.selectFrom('projects').select('org_id').where('name', '=', name).executeTakeFirst()
  return row?.org_id
}

/** Lists the projects that a builder has a role in, with that role, by name. */
export async function listProjectsOf(
  system: Kysely<Tables>,
  builderId: string,
  { after, limit }: PageBounds = {},
): Promise<(ProjectRow & { role: OrgRole })[]> {
  const { rows } = await sql<ProjectRow & StoredRole>`${prepared}
    select p.*, m.role, m.member_role from projects p join memberships m on m.org_id = p.org_id
    where m.builder_id = ${builderId} ${andIf(after, (name) => sql`p.name > ${name}`)}
    order by p.name limit ${limit ?? null}`.execute(system)
  return rows.map((row) => ({ ...row, role: roleOf(row) }))
}

/** Finds the role of a builder in an organization. */
export async function findOrgRole(
  system: Kysely<Tables>,
  builderId: string,
  orgId: string,
): Promise<OrgRole | undefined> {
  if (!isId(orgId)) return undefined
  const row = await system
    .selectFrom('memberships')
    .select(['role', 'member_role'])
    .where('org_id', '=', orgId)
    .where('builder_id', '=', builderId)
    .executeTakeFirst()
  return row && roleOf(row)
}

/** Finds a project by its id, or by its name in any case. */
export async function findProjectRow(system: Kysely<Tables>, idOrName: string): Promise<ProjectRow | undefined> {
  const named = idOrName.toLowerCase()
  const { rows } = await sql<ProjectRow>`${prepared}
    select * from projects where ${isId(named) ? sql`id = ${named}` : sql`name = ${named}`}`.execute(system)
  return rows[0]
}

/** Returns whether a project has this name, in lower case. Names are unique across the service. */
export async function isNameTaken(system: Kysely<Tables>, name: string): Promise<boolean> {
  return (await system.selectFrom('projects').select('id').where('name', '=', name).executeTakeFirst()) !== undefined
}

/** Adds a project; undefined if its name is taken. */
export async function insertProject(
  system: Kysely<Tables>,
  project: { id: string; orgId: string; name: string; appName: string },
): Promise<ProjectRow | undefined> {
  const { rows } = await sql<ProjectRow>`
    insert into projects (id, org_id, name, app_name)
    values (${project.id}, ${project.orgId}, ${project.name}, ${project.appName})
    on conflict do nothing returning *`.execute(system)
  return rows[0]
}

/**
 * Changes the defined values. `connect` adds to the settings; a part that is null is removed. Throws the database's
 * unique violation (23505) if the name is taken.
 */
export async function updateProjectRow(
  db: ProjectDb,
  {
    name,
    appName,
    logoUrl,
    connect,
    agentSignInUrl,
  }: {
    name?: string
    appName?: string
    logoUrl?: string | null
    connect?: Record<string, unknown>
    agentSignInUrl?: string | null
  },
): Promise<ProjectRow> {
  const { rows } = await sql<ProjectRow>`
    update projects set update_time = now()
      ${setIf(name, (value) => sql`name = ${value}`)}
      ${setIf(appName, (value) => sql`app_name = ${value}`)}
      ${setIf(logoUrl, (value) => sql`logo_url = ${value}`)}
      ${setIf(agentSignInUrl, (value) => sql`agent_sign_in_url = ${value}`)}
      ${setIf(
        connect,
        (value) => sql`connect_settings = nullif(
          jsonb_strip_nulls(coalesce(connect_settings, '{}'::jsonb) || ${JSON.stringify(value)}::jsonb), '{}'::jsonb)`,
      )}
    where id = ${db.projectId} returning *`.execute(db.sql)
  const [row] = rows
  if (row === undefined) throw new Error(`The project ${db.projectId} does not exist.`)
  return row
}

function setIf<T>(value: T | undefined, assignment: (value: T) => RawBuilder<unknown>): RawBuilder<unknown> {
  return value === undefined ? sql`` : sql`, ${assignment(value)}`
}
