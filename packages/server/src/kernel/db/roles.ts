import { type Kysely, sql, type Transaction } from 'kysely'

/**
 * What the service may do: `mortise_app` serves one project at a time, `mortise_system` claims work across projects.
 * Neither owns a table of ours; those of the queue belong to `mortise_system`.
 */
export const appRole = 'mortise_app'
export const systemRole = 'mortise_system'

/**
 * Makes the two roles where the login may, and gives them the schemas. Answers whether both can be used: a login
 * without CREATEROLE on a server where nobody made them runs under its own name, and the caller says so.
 */
export async function prepareRoles(db: Kysely<unknown>): Promise<boolean> {
  await sql`create schema if not exists mortise`.execute(db)
  await sql`create schema if not exists mortise_jobs`.execute(db)
  for (const role of [appRole, systemRole]) {
    // To use a role is a right of its own only from version 16 on.
    const { rows } = await sql<{ exists: boolean; member: boolean; may_create: boolean }>`
      select exists (select from pg_roles where rolname = ${role}) as exists,
             coalesce((select pg_has_role(oid, case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
                         from pg_roles where rolname = ${role}), false) as member,
             (select rolcreaterole or rolsuper from pg_roles where rolname = current_user) as may_create`.execute(db)
    const state = rows[0]
    if (!state) return false
    if (!state.exists) {
      if (!state.may_create) return false
      await sql`create role ${sql.id(role)} nologin noinherit nobypassrls`.execute(db)
    }
    if (!state.member) {
      if (!state.may_create) return false
      await sql`grant ${sql.id(role)} to current_user`.execute(db)
    }
  }
  return true
}

/** Whether both roles may use the schema already. */
export async function rolesGranted(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ granted: boolean }>`
    select has_schema_privilege(${appRole}, 'mortise', 'usage') and has_schema_privilege(${systemRole}, 'mortise', 'usage') as granted`.execute(
    db,
  )
  return rows[0]?.granted ?? false
}

/**
 * Renews policies that name other roles than there are now: the owner of the tables changed (a restore of a dump under
 * another login), or the roles were made after the tables. Run before the migrations: a policy that misses the owner
 * hides rows from them.
 */
export async function renewPolicies(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ made: boolean }>`
    select to_regprocedure('mortise.protect(regclass)') is not null as made`.execute(db)
  if (!rows[0]?.made) return
  await sql`
    select protect(c.oid) from pg_class c join pg_policy on polrelid = c.oid and polname = 'project'
     where relnamespace = 'mortise'::regnamespace
       and (not exists (select from pg_policy where polrelid = c.oid and polname = 'owner' and relowner = any (polroles))
         or (not exists (select from pg_policy where polrelid = c.oid and polname = 'system')
             and exists (select from pg_roles where rolname = ${systemRole})))`.execute(db)
}

/**
 * What each role may touch, all or nothing: inside a transaction. Run after the migrations, by the owner of the tables.
 */
export async function grantRoles(tx: Transaction<unknown>): Promise<void> {
  for (const statement of tableGrants) await sql.raw(statement).execute(tx)
  await grantQueue(tx)
}

/** The part that needs no table of ours: the schema of the queue, which the system role fills itself. */
export async function grantQueue(tx: Transaction<unknown>): Promise<void> {
  for (const statement of queueGrants) await sql.raw(statement).execute(tx)
}

const tableGrants = [
  `grant usage on schema mortise to ${appRole}, ${systemRole}`,
  `grant select, insert, update, delete on all tables in schema mortise to ${systemRole}`,
  `revoke insert, update, delete on kysely_migration, kysely_migration_lock from ${systemRole}`,
  // Only what row-level security protects: tables of people, and a table that its migration forgot to protect, are out
  // of reach.
  `revoke all on all tables in schema mortise from ${appRole}`,
  `do $$
    declare target regclass;
    begin
      for target in
        select c.oid from pg_class c join pg_policy on polrelid = c.oid and polname = 'project'
         where relnamespace = 'mortise'::regnamespace and not relispartition and relrowsecurity and relforcerowsecurity
      loop
        execute format('grant select, insert, update, delete on %s to ${appRole}', target);
      end loop;
    end $$`,
  // Triggers of the tables above read them: whether anybody follows a topic, and which encryption keys are closed.
  // Neither holds a secret or data of a project.
  `grant select on watches, encryption_keys to ${appRole}`,
  `grant execute on function ensure_partitions(date, date), drop_partitions(date) to ${systemRole}`,
  `revoke execute on function ensure_partitions(date, date), drop_partitions(date) from public`,
]

const queueGrants = [
  `grant usage, create on schema mortise_jobs to ${systemRole}`,
  `grant usage on schema mortise_jobs to ${appRole}`,
  // In the role itself: the login may use it, but need not have its rights by inheritance.
  `set local role ${systemRole}`,
  `alter default privileges in schema mortise_jobs grant select, insert, update, delete on tables to ${appRole}`,
  `alter default privileges in schema mortise_jobs grant execute on functions to ${appRole}`,
  'set local role none',
]
