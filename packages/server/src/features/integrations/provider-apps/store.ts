import { sql } from 'kysely'
import { andIf, type Database, isId, type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import type { ProviderAppMetadata, ProviderAppRow } from './model.ts'

/** What a provider app holds besides its ids and times. */
export interface ProviderAppValues {
  provider: string
  clientId: string
  encryptedSecret: string
  encryptedParams: string | null
  externalRef: string | null
  scopes: string[] | null
  metadata: ProviderAppMetadata | null
  allowedHosts: string[] | null
}

export async function insertProviderApp(db: ProjectDb, id: string, values: ProviderAppValues): Promise<ProviderAppRow> {
  const { rows } = await sql<ProviderAppRow>`
    insert into provider_apps (project_id, id, provider, client_id, encrypted_secret, encrypted_params, external_ref, scopes, metadata,
      allowed_hosts)
    values (${db.projectId}, ${id}, ${values.provider}, ${values.clientId}, ${values.encryptedSecret}, ${values.encryptedParams},
      ${values.externalRef}, ${values.scopes}::text[], ${values.metadata && JSON.stringify(values.metadata)}::jsonb,
      ${values.allowedHosts}::text[])
    returning *`.execute(db.sql)
  return rows[0] as ProviderAppRow
}

/** Newest first, those behind the id `after` when one is given. */
export async function listProviderAppRows(
  db: ProjectDb,
  { after, limit }: { after: string | undefined; limit: number | undefined },
): Promise<ProviderAppRow[]> {
  const { rows } = await sql<ProviderAppRow>`${prepared}
    select * from provider_apps
    where project_id = ${db.projectId} ${andIf(after, (before) => sql`id < ${before}`)}
    order by id desc limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/** The app of this id, else none; without an id, the newest of the provider: what is meant when no app is named. */
export async function findProviderApp(
  db: ProjectDb,
  { id, provider }: { id?: string | undefined; provider: string },
): Promise<ProviderAppRow | undefined> {
  if (id !== undefined && !isId(id)) return undefined
  const { rows } = await sql<ProviderAppRow>`${prepared}
    select * from provider_apps
    where project_id = ${db.projectId} and provider = ${provider} ${andIf(id, (one) => sql`id = ${one}`)}
    order by id desc limit 1`.execute(db.sql)
  return rows[0]
}

export async function lockProviderApp(tx: ProjectDb, id: string): Promise<ProviderAppRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<ProviderAppRow>`
    select * from provider_apps where project_id = ${tx.projectId} and id = ${id} for update`.execute(tx.sql)
  return rows[0]
}

export async function updateProviderAppRow(
  tx: ProjectDb,
  id: string,
  values: ProviderAppValues,
): Promise<ProviderAppRow> {
  const { rows } = await sql<ProviderAppRow>`
    update provider_apps set provider = ${values.provider}, client_id = ${values.clientId},
      encrypted_secret = ${values.encryptedSecret}, encrypted_params = ${values.encryptedParams}, external_ref = ${values.externalRef}, scopes = ${values.scopes}::text[],
      metadata = ${values.metadata && JSON.stringify(values.metadata)}::jsonb,
      allowed_hosts = ${values.allowedHosts}::text[], update_time = now()
    where project_id = ${tx.projectId} and id = ${id} returning *`.execute(tx.sql)
  return rows[0] as ProviderAppRow
}

/** Apps of all projects with values that are shown, and the names of these. */
export async function listAppsWithParams(
  system: Database['system'],
): Promise<{ projectId: string; id: string; provider: string; names: string[] }[]> {
  const { rows } = await sql<{ projectId: string; id: string; provider: string; names: string[] }>`
    select project_id as "projectId", id, provider, array(select jsonb_object_keys(metadata -> 'providerParams')) as names
    from provider_apps where metadata -> 'providerParams' <> '{}'`.execute(system)
  return rows
}

/** Puts other values in the place of those that an app has. */
export async function replaceParams(
  tx: ProjectDb,
  id: string,
  { metadata, encryptedParams }: Pick<ProviderAppValues, 'metadata' | 'encryptedParams'>,
): Promise<void> {
  await sql`
    update provider_apps set encrypted_params = ${encryptedParams}, metadata = ${metadata && JSON.stringify(metadata)}::jsonb
    where project_id = ${tx.projectId} and id = ${id}`.execute(tx.sql)
}

/** Whether a connection was made through the app. Stays true or false while the app is locked. */
export async function isProviderAppUsed(tx: ProjectDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from connections where project_id = ${tx.projectId} and provider_app_id = ${id} limit 1`.execute(tx.sql)
  return rows.length > 0
}

export async function deleteProviderAppRow(tx: ProjectDb, id: string): Promise<void> {
  await sql`delete from provider_apps where project_id = ${tx.projectId} and id = ${id}`.execute(tx.sql)
}

/** Returns the apps of a provider, newest first. */
export async function listAppsOf(db: ProjectDb, provider: string, limit: number): Promise<ProviderAppRow[]> {
  const { rows } = await sql<ProviderAppRow>`
    select * from provider_apps where project_id = ${db.projectId} and provider = ${provider}
    order by id desc limit ${limit}`.execute(db.sql)
  return rows
}
