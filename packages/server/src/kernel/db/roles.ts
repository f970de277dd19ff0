import { type Kysely, sql, type Transaction } from 'kysely'

/**
 * Roles of the service: `mortise_app` accesses one project at a time, `mortise_system` claims work across projects.
 * Neither owns a table of Mortise; the tables of the queue belong to `mortise_system`.
 */
export const appRole = 'mortise_app'
export const systemRole = 'mortise_system'

/**
 * Creates the two roles where the login may, and grants them the schemas. Returns whether both can be used. A login
 * without CREATEROLE, on a server without the roles, runs under its own name, and the caller reports that.
 */
export async function prepareRoles(db: Kysely<unknown>): Promise<boolean> {
  await sql`create schema if not exists mortise`.execute(db)
  await sql`create schema if not exists mortise_jobs`.execute(db)
  for (const role of [appRole, systemRole]) {
    // PostgreSQL 16 made the right to SET ROLE a separate membership option.
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

/**
 * Turns JIT off for the login in this database, so that it is also off where a pooler drops the options of a
 * connection. The login and not the two roles: PostgreSQL applies settings of a role only to the role that logs in.
 * A value that somebody has set there stays, and so does the default where the login may not set it.
 */
export async function turnOffJit(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$
    begin
      if not exists (select from pg_db_role_setting, unnest(setconfig) as setting
                      where setdatabase = (select oid from pg_database where datname = current_database())
                        and setrole = (select oid from pg_roles where rolname = session_user)
                        and setting like 'jit=%') then
        execute format('alter role %I in database %I set jit = off', session_user, current_database());
      end if;
    -- Managed servers refuse it with errors of their own. No start depends on it.
    exception when others then null;
    end $$`.execute(db)
}

/** Returns whether both roles have access to the schema. */
export async function rolesGranted(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ granted: boolean }>`
    select has_schema_privilege(${appRole}, 'mortise', 'usage') and has_schema_privilege(${systemRole}, 'mortise', 'usage') as granted`.execute(
    db,
  )
  return rows[0]?.granted ?? false
}

/**
 * Renews policies that name other roles than exist now: the owner of the tables changed (a dump restored under another
 * login), or the roles were created after the tables. Runs before the migrations, because a policy that misses the
 * owner hides rows from them.
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

/** Grants each role its rights inside a transaction. The owner of the tables runs it after the migrations. */
export async function grantRoles(tx: Transaction<unknown>): Promise<void> {
  for (const statement of tableGrants) await sql.raw(statement).execute(tx)
  await grantQueue(tx)
}

/** Grants the rights that need no table of Mortise: those on the schema of the queue, which the system role fills. */
export async function grantQueue(tx: Transaction<unknown>): Promise<void> {
  for (const statement of queueGrants) await sql.raw(statement).execute(tx)
}

const tableGrants = [
  `grant usage on schema mortise to ${appRole}, ${systemRole}`,
  `grant select, insert, update, delete on all tables in schema mortise to ${systemRole}`,
  `revoke insert, update, delete on kysely_migration, kysely_migration_lock from ${systemRole}`,
  // Grants only tables with row-level security. Tables of people, and a table whose migration forgot to protect it,
  // stay inaccessible.
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
  // The audit log is append-only: entries and seals are never changed, and only the tick that seals removes marks.
  `revoke update, delete on audit_entries, audit_seals from ${appRole}, ${systemRole}`,
  `revoke update, delete on audit_unsealed from ${appRole}`,
  `revoke insert on audit_seals from ${appRole}`,
  `revoke update on audit_unsealed from ${systemRole}`,
  // Triggers of the tables above read them, to see whether a topic has subscribers and which encryption keys are
  // closed. Neither table holds a secret or data of a project.
  `grant select on watches, encryption_keys to ${appRole}`,
  `grant execute on function ensure_partitions(date, date), drop_partitions(date), drop_expired_partitions(date, timestamptz),
     ensure_count_partitions(date, date), drop_count_partitions(date), delete_old_audit_entries(date, integer) to ${systemRole}`,
  `revoke execute on function ensure_partitions(date, date), drop_partitions(date), drop_expired_partitions(date, timestamptz),
     ensure_count_partitions(date, date), drop_count_partitions(date) from public`,
]

const queueGrants = [
  `grant usage, create on schema mortise_jobs to ${systemRole}`,
  `grant usage on schema mortise_jobs to ${appRole}`,
  // Sets the role, because the login may use it but need not inherit its rights.
  `set local role ${systemRole}`,
  `alter default privileges in schema mortise_jobs grant select, insert, update, delete on tables to ${appRole}`,
  `alter default privileges in schema mortise_jobs grant execute on functions to ${appRole}`,
  'set local role none',
]
