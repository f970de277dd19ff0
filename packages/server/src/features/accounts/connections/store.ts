import { type RawBuilder, sql } from 'kysely'
import { andIf, isId, type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import { type Confinement, mayUseProvider, type PageBounds } from '../../../kernel/http/index.ts'
import type { ConnectionStatus } from '../../provider-calls/calls/index.ts'
import type { ConnectionIdentity, ConnectionValues } from '../connection-inputs/index.ts'
import type { Owner } from '../consumers/index.ts'
import type { CheckOutcome } from './check-outcome.ts'
import type { ConnectionRow } from './resource.ts'

/** The next check is about another credential or another address. */
const noCheck = sql`check_outcome = null, check_reason = null, check_time = null`

/** The columns of `ConnectionRow`, from `connectionTables`; other features join them into their own statements. */
export const connectionColumns = sql`
  c.project_id, c.id as connection_id, c.provider, c.auth_scheme, c.scheme_name, c.status, c.provider_workspace_ref,
  c.provider_consumer_ref, c.provider_metadata, c.rate_limited_until, c.check_outcome, c.check_reason, c.check_time, c.create_time as connection_create_time,
  c.update_time as connection_update_time, g.group_ref, g.group_name, g.create_time as group_create_time,
  g.update_time as group_update_time, u.consumer_ref, u.consumer_name, u.create_time as consumer_create_time,
  u.update_time as consumer_update_time, a.id as app_id, a.client_id as app_client_id, a.external_ref as app_external_ref,
  a.scopes as app_scopes, a.metadata as app_metadata, a.create_time as app_create_time, a.update_time as app_update_time`

export const connectionTables = sql`
  connections c
  join groups g on g.project_id = c.project_id and g.group_ref = c.group_ref
  join consumers u on u.project_id = c.project_id and u.consumer_ref = c.consumer_ref
  left join provider_apps a on a.project_id = c.project_id and a.id = c.provider_app_id`

/** The connection of this id, with its group and consumer. With a consumer token, only those of its group are there. */
export async function findConnection(
  db: ProjectDb,
  id: string,
  confinedTo?: Confinement,
): Promise<ConnectionRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<ConnectionRow>`${prepared}
    select ${connectionColumns} from ${connectionTables}
    where c.project_id = ${db.projectId} and c.id = ${id}
      ${andIf(confinedTo?.groupRef, (ref) => sql`c.group_ref = ${ref}`)}`.execute(db.sql)
  const [row] = rows
  return row && mayUseProvider(confinedTo, row.provider) ? row : undefined
}

/** The newest connection of a group to a provider: what is meant when no connection is named (contract 3.7). */
export async function findDefaultConnection(
  db: ProjectDb,
  provider: string,
  groupRef: string,
): Promise<ConnectionRow | undefined> {
  const { rows } = await sql<ConnectionRow>`
    select ${connectionColumns} from ${connectionTables}
    where c.project_id = ${db.projectId} and c.provider = ${provider} and c.group_ref = ${groupRef}
    order by c.id desc limit 1`.execute(db.sql)
  return rows[0]
}

export interface ConnectionFilter {
  provider?: string
  groupRef?: string
  consumerRef?: string
  status?: ConnectionStatus
  /** Only connections to these providers. */
  providers?: readonly string[]
}

/** Returns the filter for what a caller may see. */
export function filterOf(confinedTo: Confinement | undefined): ConnectionFilter {
  const providers = confinedTo?.session?.providers
  return { ...(confinedTo && { groupRef: confinedTo.groupRef }), ...(providers && { providers }) }
}

/** Newest first: ids are ordered by time. */
export async function listConnectionRows(
  db: ProjectDb,
  filter: ConnectionFilter,
  { after, limit }: PageBounds = {},
): Promise<ConnectionRow[]> {
  const { rows } = await sql<ConnectionRow>`${prepared}
    select ${connectionColumns} from ${connectionTables}
    where c.project_id = ${db.projectId}
      ${andIf(filter.provider, (provider) => sql`c.provider = ${provider}`)}
      ${andIf(filter.status, (status) => sql`c.status = ${status}`)}
      ${andIf(filter.groupRef, (ref) => sql`c.group_ref = ${ref}`)}
      ${andIf(filter.providers, (providers) => sql`c.provider = any(${providers})`)}
      ${andIf(filter.consumerRef, (ref) => sql`c.consumer_ref = ${ref}`)}
      ${andIf(after, (id) => sql`c.id < ${id}`)}
    order by c.id desc limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/** Counts the connections of each status that any has. Reads an index entry for each connection. */
export async function countConnections(db: ProjectDb): Promise<Partial<Record<ConnectionStatus, number>>> {
  const { rows } = await sql<{ status: ConnectionStatus; count: number }>`
    select status, count(*)::int as count from connections where project_id = ${db.projectId} group by status`.execute(
    db.sql,
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/**
 * Locks connections by id, or all of a group or consumer, in the order of their ids. Until the transaction ends, no
 * installation can start to use them. Returns the ids of those that exist.
 */
export async function lockConnections(tx: ProjectDb, which: { ids: string[] } | Owner): Promise<string[]> {
  const isMeant = 'ids' in which ? sql`id = any(${which.ids}::uuid[])` : isOwnedBy(which)
  const { rows } = await sql<{ id: string }>`
    select id from connections where project_id = ${tx.projectId} and ${isMeant} order by id for update`.execute(tx.sql)
  return rows.map(({ id }) => id)
}

function isOwnedBy(owner: Owner) {
  return 'groupRef' in owner ? sql`group_ref = ${owner.groupRef}` : sql`consumer_ref = ${owner.consumerRef}`
}

/** Makes a connection of status `created`; does nothing and answers false when the account is connected already. */
export async function insertConnection(
  tx: ProjectDb,
  id: string,
  connection: ConnectionIdentity & ConnectionValues,
): Promise<boolean> {
  const { rows } = await sql`${prepared}
    with input as (select * from jsonb_to_record(${JSON.stringify(inputOf(tx, id, connection))}) as input (${inputColumns}))
    ${connectionInsert(sql`true`)}`.execute(tx.sql)
  return rows.length > 0
}

/** The columns of `input`, the row that `connectionInsert` reads. */
export const inputColumns = sql`
  project_id uuid, id uuid, provider text, group_ref text, consumer_ref text, provider_workspace_ref text, auth_scheme text,
  scheme_name text, provider_metadata jsonb, provider_app_id uuid, provider_consumer_ref text`

/** Makes the connections of `input`, but not those to accounts that are connected already. Returns their rows. */
export function connectionInsert(where: RawBuilder<unknown>) {
  return sql`
  insert into connections
    (project_id, id, provider, group_ref, consumer_ref, provider_workspace_ref, auth_scheme, scheme_name, status, provider_metadata,
      provider_app_id, provider_consumer_ref)
  select project_id, id, provider, group_ref, consumer_ref, provider_workspace_ref, auth_scheme, scheme_name, 'created',
    provider_metadata, provider_app_id, provider_consumer_ref
  from input where ${where}
  on conflict (project_id, provider, group_ref, consumer_ref, provider_workspace_ref) do nothing
  returning *`
}

/** Returns a row of `input`. */
export function inputOf(
  { projectId }: ProjectDb,
  id: string,
  connection: ConnectionIdentity & ConnectionValues,
): Record<string, unknown> {
  return {
    project_id: projectId,
    id,
    provider: connection.provider,
    group_ref: connection.groupRef,
    consumer_ref: connection.consumerRef,
    provider_workspace_ref: connection.providerWorkspaceRef,
    auth_scheme: connection.authScheme,
    scheme_name: connection.schemeName,
    provider_metadata: connection.providerMetadata,
    provider_app_id: connection.providerAppId,
    provider_consumer_ref: connection.providerConsumerRef,
  }
}

/** Finds the connection to an account and locks its row. */
export async function lockConnectionOf(
  tx: ProjectDb,
  { provider, groupRef, consumerRef, providerWorkspaceRef }: ConnectionIdentity,
): Promise<{ id: string; status: ConnectionStatus } | undefined> {
  const { rows } = await sql<{ id: string; status: ConnectionStatus }>`
    select id, status from connections
    where project_id = ${tx.projectId} and provider = ${provider} and group_ref = ${groupRef}
      and consumer_ref = ${consumerRef} and provider_workspace_ref is not distinct from ${providerWorkspaceRef ?? null}
    for no key update`.execute(tx.sql)
  return rows[0]
}

/** Gives a locked connection what came with its new credential. Metadata and a person that were not sent stay. */
export async function updateConnection(
  tx: ProjectDb,
  id: string,
  status: ConnectionStatus,
  { authScheme, schemeName, providerMetadata, providerAppId, providerConsumerRef }: ConnectionValues,
): Promise<void> {
  await sql`
    update connections set auth_scheme = ${authScheme}, scheme_name = ${schemeName ?? null}, status = ${status}, update_time = now(), ${noCheck},
      provider_metadata = coalesce(${providerMetadata ? JSON.stringify(providerMetadata) : null}::jsonb, provider_metadata),
      provider_app_id = ${providerAppId ?? null},
      provider_consumer_ref = coalesce(${providerConsumerRef ?? null}, provider_consumer_ref)
    where project_id = ${tx.projectId} and id = ${id}`.execute(tx.sql)
}

/** Removes values from the metadata of a locked connection; all of them when no names are given. */
export async function forgetMetadata(tx: ProjectDb, id: string, names: readonly string[] | undefined): Promise<void> {
  await sql`
    update connections
    set provider_metadata = ${names ? sql`nullif(provider_metadata - ${names}::text[], '{}'::jsonb)` : sql`null`}
    where project_id = ${tx.projectId} and id = ${id} and provider_metadata is not null`.execute(tx.sql)
}

/** Names the workspace of a locked connection. Throws the error 23505 when that is another connection's. */
export async function setWorkspaceRef(tx: ProjectDb, id: string, workspaceRef: string): Promise<void> {
  await sql`
    update connections set provider_workspace_ref = ${workspaceRef}
    where project_id = ${tx.projectId} and id = ${id}`.execute(tx.sql)
}

/** The status as it is, without a lock. */
export async function statusOf(db: ProjectDb, id: string): Promise<ConnectionStatus | undefined> {
  const { rows } = await sql<{ status: ConnectionStatus }>`
    select status from connections where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0]?.status
}

/** Locks a connection and answers its status. */
export async function lockConnection(tx: ProjectDb, id: string): Promise<ConnectionStatus | undefined> {
  const { rows } = await sql<{ status: ConnectionStatus }>`
    select status from connections where project_id = ${tx.projectId} and id = ${id} for no key update`.execute(tx.sql)
  return rows[0]?.status
}

/**
 * Keeps what a check found, unless the credential was replaced meanwhile. Credentials are written under the lock of
 * their connection: a statement that waited for it would compare the generation of before.
 */
export async function keepCheck(
  db: ProjectDb,
  { id, generation }: { id: string; generation: number },
  { outcome, reason }: { outcome: CheckOutcome; reason: string | undefined },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockConnection(tx, id)
    const { numAffectedRows } = await sql`
      update connections c set check_outcome = ${outcome}, check_reason = ${reason ?? null}, check_time = now()
      from connection_credentials k
      where c.project_id = ${tx.projectId} and c.id = ${id}
        and k.project_id = c.project_id and k.connection_id = c.id and k.generation = ${generation}`.execute(tx.sql)
    return (numAffectedRows ?? 0n) > 0n
  })
}

/**
 * Stores that the provider accepted credentials: the checks and the status `working`. Returns the ids of the
 * connections that it changed: not those whose credential was replaced meanwhile, as for `keepCheck`, or whose new
 * status matters to installations.
 */
export async function keepSuccesses(
  db: ProjectDb,
  connections: readonly { id: string; generation: number }[],
): Promise<Set<string>> {
  const [ids, generations] = [connections.map(({ id }) => id), connections.map(({ generation }) => generation)]
  return db.transaction(async (tx) => {
    await sql`${prepared}
      select from connections where project_id = ${tx.projectId} and id = any(${ids}::uuid[])
      order by id for no key update`.execute(tx.sql)
    const { rows } = await sql<{ id: string }>`${prepared}
    update connections c set status = 'working', check_outcome = 'works', check_reason = null, check_time = now(),
      update_time = case c.status when 'working' then c.update_time else now() end
    from unnest(${ids}::uuid[], ${generations}::integer[]) as used (id, generation), connection_credentials k
    where c.project_id = ${tx.projectId} and c.id = used.id
      and k.project_id = c.project_id and k.connection_id = c.id and k.generation = used.generation
      and k.needed_scopes is null
      and (c.status = 'working'
        or not exists (select from installations i where i.project_id = c.project_id and i.connection_id = c.id))
    returning c.id`.execute(tx.sql)
    return new Set(rows.map(({ id }) => id))
  })
}

/**
 * Sets the status, and with it the result of the last check: a refused credential is refused, a renewed one no longer.
 *
 * @param reason why the provider refuses the credential, in a public sentence
 */
export async function setStatus(tx: ProjectDb, id: string, status: ConnectionStatus, reason?: string): Promise<void> {
  await sql`
    update connections set status = ${status}, update_time = now(),
      check_outcome = case ${status} when 'working' then 'works' when 'bad_credentials' then 'refused'
                                     else nullif(check_outcome, 'refused') end,
      check_reason = case when ${status} = 'bad_credentials' then ${reason ?? null}
                          when ${status} = 'working' or check_outcome = 'refused' then null else check_reason end,
      check_time = case when ${status} <> 'created' then now() when check_outcome = 'refused' then null else check_time end
    where project_id = ${tx.projectId} and id = ${id}`.execute(tx.sql)
}

/** Remembers that the provider asked to wait; never shortens an earlier wish. */
export async function setRateLimitedUntil(db: ProjectDb, id: string, until: Date): Promise<void> {
  await sql`
    update connections set rate_limited_until = ${until}
    where project_id = ${db.projectId} and id = ${id}
      and (rate_limited_until is null or rate_limited_until < ${until})`.execute(db.sql)
}

export async function findRateLimitedUntil(db: ProjectDb, id: string): Promise<Date | undefined> {
  const { rows } = await sql<{ rate_limited_until: Date | null }>`
    select rate_limited_until from connections where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0]?.rate_limited_until ?? undefined
}

/** Those of some connections that no installation uses. */
export async function listUnusedConnections(tx: ProjectDb, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from connections c where c.project_id = ${tx.projectId} and c.id = any(${ids}::uuid[])
      and not exists (select from installations i where i.project_id = c.project_id and i.connection_id = c.id)
    order by c.id`.execute(tx.sql)
  return rows.map(({ id }) => id)
}

export async function deleteConnectionRows(tx: ProjectDb, ids: string[]): Promise<void> {
  await sql`delete from connections where project_id = ${tx.projectId} and id = any(${ids}::uuid[])`.execute(tx.sql)
}

/**
 * Sets the workspace and metadata of a locked connection. Throws the error 23505 when that is another connection's.
 */
export async function updateConnectionAccount(
  tx: ProjectDb,
  id: string,
  account: {
    status: ConnectionStatus
    providerWorkspaceRef: string | null
    providerMetadata: Record<string, unknown> | null
  },
): Promise<void> {
  await sql`
    update connections set status = ${account.status}, update_time = now(), ${noCheck},
      provider_workspace_ref = ${account.providerWorkspaceRef},
      provider_metadata = ${account.providerMetadata && JSON.stringify(account.providerMetadata)}::jsonb
    where project_id = ${tx.projectId} and id = ${id}`.execute(tx.sql)
}

/** Returns the id of the provider app that a connection was made with. */
export async function findAppOfConnection(db: ProjectDb, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ provider_app_id: string | null }>`
    select provider_app_id from connections where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0]?.provider_app_id ?? undefined
}
