import type { IntegrationContent, ReadObject } from '@mortise/manifest'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { andIf, isId, type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'
import type { Confinement, PageBounds } from '../../../kernel/http/index.ts'
import { connectionColumns, connectionTables } from '../../accounts/connections/index.ts'
import type { ConnectionStatus } from '../../provider-calls/calls/index.ts'
import type { ConfigContent } from './content.ts'
import type { HealthStatus, InstallationRecord, InstallationRow } from './resource.ts'

/** Failed backfills of an installation, of objects that it still reads. `i` is the installation. */
const failingBackfills = sql`backfills b join read_states s using (project_id, installation_id, object_name)
        where b.project_id = i.project_id and b.installation_id = i.id and b.error is not null
          and s.paused is distinct from 'config' and s.paused is distinct from 'removed'`

/** The reasons why an installation is unhealthy, in sentences. Evaluated only for unhealthy ones. */
export const healthReasons = sql`case when i.health_status = 'unhealthy' then array(
    select reason from (
      select 1 as position, 'The provider refuses the credential of the connection.' as reason
        where c.status = 'bad_credentials'
      union all
      select 2, '[' || b.object_name || '] The backfill could not end: ' || b.error from ${failingBackfills}
      union all
      select 3, '[' || s.object_name || '] Reads are paused after repeated failures: ' || coalesce(s.last_error, 'unknown')
        from read_states s
       where s.project_id = i.project_id and s.installation_id = i.id and s.paused = 'failures'
      union all
      select 4, 'The subscription could not be set up: ' || u.error from subscriptions u
       where u.project_id = i.project_id and u.installation_id = i.id and u.error is not null
    ) as reasons order by position, reason) end`

const installationColumns = sql`
  ${connectionColumns}, i.id, i.integration_id, i.health_status, ${healthReasons} as health_reasons, o.status as last_operation_status, i.created_by, i.create_time,
  i.update_time, f.id as config_id, f.revision_id as config_revision_id, f.content as config_content,
  f.created_by as config_created_by, f.create_time as config_create_time`

const installationTables = sql`
  ${connectionTables}
  join installations i on i.project_id = c.project_id and i.connection_id = c.id
  join configs f on f.project_id = i.project_id and f.id = i.config_id
  left join last_operations o on o.project_id = i.project_id and o.installation_id = i.id`

export interface InstallationFilter {
  integrationId?: string
  groupRef?: string
  /** Only installations of these integrations. */
  integrationIds?: readonly string[]
  connectionId?: string
  healthStatus?: HealthStatus
}

/** Returns the filter for what a caller may see. */
export function filterOf(confinedTo: Confinement | undefined): InstallationFilter {
  const integrationIds = confinedTo?.session?.integrationIds
  return { ...(confinedTo && { groupRef: confinedTo.groupRef }), ...(integrationIds && { integrationIds }) }
}

/** Literals, so that a prepared statement uses the index of unhealthy installations. */
const hasHealth = { healthy: sql`i.health_status = 'healthy'`, unhealthy: sql`i.health_status = 'unhealthy'` }

/** Lists installations, newest first, each with its connection, group and config. */
export async function listInstallationRows(
  db: ProjectDb,
  { integrationId, groupRef, integrationIds, connectionId, healthStatus }: InstallationFilter,
  { after, limit }: PageBounds = {},
): Promise<InstallationRow[]> {
  const { rows } = await sql<InstallationRow>`${prepared}
    select ${installationColumns} from ${installationTables}
    where i.project_id = ${db.projectId}
      ${andIf(integrationId, (id) => sql`i.integration_id = ${id}`)}
      ${andIf(groupRef, (ref) => sql`i.group_ref = ${ref}`)}
      ${andIf(integrationIds, (ids) => sql`i.integration_id = any(${ids}::uuid[])`)}
      ${andIf(connectionId, (id) => sql`i.connection_id = ${id}`)}
      ${andIf(healthStatus, (status) => hasHealth[status])}
      ${andIf(after, (id) => sql`i.id < ${id}`)}
    order by i.id desc limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/** Finds an installation. With a consumer token, only within its group. */
export async function findInstallationRow(
  db: ProjectDb,
  id: string,
  confinedTo?: Confinement,
): Promise<InstallationRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<InstallationRow>`${prepared}
    select ${installationColumns} from ${installationTables}
    where i.project_id = ${db.projectId} and i.id = ${id}
      ${andIf(confinedTo?.groupRef, (ref) => sql`i.group_ref = ${ref}`)}`.execute(db.sql)
  return rows[0]
}

type RecordRow = InstallationRow & {
  integration_name: string
  latest_revision_id: string
  integration_content: IntegrationContent
  /** Objects with a read state that no destructive deploy has paused. */
  read_names: string[]
}

/**
 * Selects installations with their contents. Looks up the integration outside the join (`offset 0` prevents inlining):
 * planning a join of seven tables, all on the project, takes several times as long as running it.
 */
async function selectRecords(db: ProjectDb, condition: RawBuilder<unknown>): Promise<InstallationRecord[]> {
  const { rows } = await sql<RecordRow>`${prepared}
    ${recordQuery} where i.project_id = ${db.projectId} and ${condition}`.execute(db.sql)
  return await Promise.all(rows.map((row) => toRecord(db.sql, row)))
}

const recordQuery = sql`
    select ${installationColumns}, n.integration_name, n.latest_revision_id, n.integration_content,
      array(select s.object_name from read_states s
        where s.project_id = i.project_id and s.installation_id = i.id and s.paused is distinct from 'removed') as read_names
    from ${installationTables}
    cross join lateral (
      select n.name as integration_name, n.latest_revision_id, r.content as integration_content
        from integrations n join revisions r on r.project_id = n.project_id and r.id = n.latest_revision_id
       where n.project_id = i.project_id and n.id = i.integration_id offset 0) n`

/** Finds the installation of this id with its contents. */
export async function findInstallation(db: ProjectDb, id: string): Promise<InstallationRecord | undefined> {
  if (!isId(id)) return undefined
  return (await selectRecords(db, sql`i.id = ${id}`))[0]
}

/**
 * Finds installations of several projects with their contents, in one statement of the system role. Looks up each
 * separately (`offset 0`): a join of so many tables would read all rows of some. The planner expects the same number of
 * rows of any JSON, so it keeps one plan; of an array it would count the elements, and plan each time.
 */
export async function findInstallations(
  system: Kysely<Tables>,
  installations: readonly { projectId: string; id: string }[],
): Promise<InstallationRecord[]> {
  const wanted = JSON.stringify(installations.map(({ projectId, id }) => ({ project_id: projectId, id })))
  const { rows } = await sql<RecordRow>`${prepared}
    select found.* from jsonb_to_recordset(${wanted}::jsonb) as wanted (project_id uuid, id uuid)
    cross join lateral (${recordQuery} where i.project_id = wanted.project_id and i.id = wanted.id offset 0) as found`.execute(
    system,
  )
  return await Promise.all(rows.map((row) => toRecord(system, row)))
}

/**
 * Returns the installation of a path. Undefined if it belongs to another integration or, with a consumer token, to
 * another group.
 */
export async function installationOf(
  db: ProjectDb,
  integrationId: string,
  installationId: string,
  confinedTo?: Confinement,
): Promise<InstallationRecord | undefined> {
  const installation = await findInstallation(db, installationId)
  if (confinedTo && installation?.groupRef !== confinedTo.groupRef) return undefined
  return installation?.integrationId === integrationId ? installation : undefined
}

/** Finds a group's newest installation of an integration. */
export async function findInstallationOfGroup(
  db: ProjectDb,
  integrationId: string,
  groupRef: string,
): Promise<InstallationRecord | undefined> {
  const newest = sql`i.integration_id = ${integrationId} and i.group_ref = ${groupRef} order by i.id desc limit 1`
  return (await selectRecords(db, newest))[0]
}

/** A group with more installations has the tools of its newest ones. */
const ofGroupMax = 200

/** Lists a group's installations of some integrations with their contents, the newest of each integration. */
export async function listInstallationsOfGroup(
  db: ProjectDb,
  groupRef: string,
  integrationIds: readonly string[],
): Promise<InstallationRecord[]> {
  if (integrationIds.length === 0) return []
  const newest = sql`i.group_ref = ${groupRef} and i.integration_id = any(${integrationIds}::uuid[])
    order by i.id desc limit ${ofGroupMax}`
  const found = new Map<string, InstallationRecord>()
  for (const record of await selectRecords(db, newest))
    if (!found.has(record.integrationId)) found.set(record.integrationId, record)
  return [...found.values()]
}

async function toRecord(db: Kysely<Tables>, row: RecordRow): Promise<InstallationRecord> {
  const { integration_name, latest_revision_id, integration_content, read_names, ...installation } = row
  const present = new Set(integration_content.read?.objects.map(({ objectName }) => objectName))
  const removed = read_names.filter((name) => !present.has(name))
  return {
    id: row.id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    integrationName: integration_name,
    connectionId: row.connection_id,
    configId: row.config_id,
    provider: row.provider,
    groupRef: row.group_ref,
    groupName: row.group_name,
    consumerRef: row.consumer_ref,
    consumerName: row.consumer_name,
    createTime: row.create_time,
    updateTime: row.update_time ?? undefined,
    module: integration_content.module,
    latestRevisionId: latest_revision_id,
    integration: integration_content,
    removedReadObjects: removed.length > 0 ? await lastDefinitions(db, row, removed) : [],
    content: row.config_content,
    row: installation,
  }
}

/**
 * Returns the newest definition of each of these read objects over all revisions. Called only for objects that a deploy
 * removed.
 */
async function lastDefinitions(
  db: Kysely<Tables>,
  { project_id, integration_id }: Pick<RecordRow, 'project_id' | 'integration_id'>,
  names: string[],
): Promise<ReadObject[]> {
  const { rows } = await sql<{ definition: ReadObject }>`
    select distinct on (definition->>'objectName') definition
    from revisions r, jsonb_array_elements(r.content->'read'->'objects') as definition
    where r.project_id = ${project_id} and r.integration_id = ${integration_id}
      and definition->>'objectName' = any(${names})
    order by definition->>'objectName', r.id desc`.execute(db)
  return rows.map(({ definition }) => definition)
}

export interface NewInstallation {
  id: string
  integrationId: string
  groupRef: string
  connectionId: string
  configId: string
  createdBy: string
  healthStatus: HealthStatus
}

/** Throws the database's unique violation (23505) when the group has this integration on this connection already. */
export async function insertInstallation(tx: ProjectDb, installation: NewInstallation): Promise<void> {
  const { id, integrationId, groupRef, connectionId, configId, createdBy, healthStatus } = installation
  await sql`
    insert into installations
      (project_id, id, integration_id, group_ref, connection_id, config_id, created_by, health_status)
    values (${tx.projectId}, ${id}, ${integrationId}, ${groupRef}, ${connectionId}, ${configId}, ${createdBy},
      ${healthStatus})`.execute(tx.sql)
}

/** Finds the id of the installation of an integration by a group on a connection. */
export async function findInstallationId(
  db: ProjectDb,
  { integrationId, groupRef, connectionId }: Pick<NewInstallation, 'integrationId' | 'groupRef' | 'connectionId'>,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from installations where project_id = ${db.projectId} and integration_id = ${integrationId}
      and group_ref = ${groupRef} and connection_id = ${connectionId}`.execute(db.sql)
  return rows[0]?.id
}

export interface NewConfig {
  id: string
  installationId: string
  content: ConfigContent
  createdBy: string
}

/** Adds the next version of an installation's config, for the integration's current revision. */
export async function insertConfig(
  tx: ProjectDb,
  { id, installationId, content, createdBy }: NewConfig,
): Promise<void> {
  await sql`
    insert into configs (project_id, id, installation_id, version, revision_id, content, created_by)
    select i.project_id, ${id}, i.id,
      1 + coalesce((select max(version) from configs where project_id = i.project_id and installation_id = i.id), 0),
      n.latest_revision_id, ${JSON.stringify(content)}, ${createdBy}
    from installations i join integrations n on n.project_id = i.project_id and n.id = i.integration_id
    where i.project_id = ${tx.projectId} and i.id = ${installationId}`.execute(tx.sql)
}

/** Points a locked installation at another config or connection. */
export async function updateInstallationRow(
  tx: ProjectDb,
  id: string,
  { configId, connectionId }: { configId?: string | undefined; connectionId?: string | undefined },
): Promise<void> {
  await sql`
    update installations set config_id = coalesce(${configId ?? null}, config_id),
      connection_id = coalesce(${connectionId ?? null}, connection_id), update_time = now()
    where project_id = ${tx.projectId} and id = ${id}`.execute(tx.sql)
}

/** Locks an installation. Returns the ids that it points at. */
export async function lockInstallation(
  tx: ProjectDb,
  id: string,
): Promise<{ configId: string; connectionId: string } | undefined> {
  const { rows } = await sql<{ configId: string; connectionId: string }>`
    select config_id as "configId", connection_id as "connectionId" from installations
    where project_id = ${tx.projectId} and id = ${id} for no key update`.execute(tx.sql)
  return rows[0]
}

/** Locks all installations of a connection, in the order of their ids. */
export async function lockInstallationsOf(tx: ProjectDb, connectionId: string): Promise<void> {
  await sql`
    select from installations where project_id = ${tx.projectId} and connection_id = ${connectionId}
    order by id for no key update`.execute(tx.sql)
}

/** Lists what determines the health of one installation, or of all of a connection. */
export async function listHealthCauses(
  tx: ProjectDb,
  of: { installationId: string } | { connectionId: string },
): Promise<
  {
    id: string
    healthStatus: HealthStatus
    connectionStatus: ConnectionStatus
    failingReads: number
    failingBackfills: number
    isSubscribeFailing: boolean
  }[]
> {
  const which = 'installationId' in of ? sql`i.id = ${of.installationId}` : sql`i.connection_id = ${of.connectionId}`
  const { rows } = await sql<{
    id: string
    healthStatus: HealthStatus
    connectionStatus: ConnectionStatus
    failingReads: number
    failingBackfills: number
    isSubscribeFailing: boolean
  }>`
    select i.id, i.health_status as "healthStatus", c.status as "connectionStatus",
      (select count(*) from read_states s
        where s.project_id = i.project_id and s.installation_id = i.id and s.paused = 'failures') as "failingReads",
      (select count(*) from ${failingBackfills}) as "failingBackfills",
      exists (select from subscriptions s
        where s.project_id = i.project_id and s.installation_id = i.id and s.error is not null) as "isSubscribeFailing"
    from installations i join connections c on c.project_id = i.project_id and c.id = i.connection_id
    where i.project_id = ${tx.projectId} and ${which}`.execute(tx.sql)
  return rows
}

export async function setHealthStatus(tx: ProjectDb, ids: string[], health: HealthStatus): Promise<void> {
  await sql`
    update installations set health_status = ${health}
    where project_id = ${tx.projectId} and id = any(${ids})`.execute(tx.sql)
}

const areAlwaysRead = sql`r.content @> '{"read": {"objects": [{"enabled": "always"}]}}'`

/** Lists integrations of a provider with objects that are always read and that the group has not installed yet. */
export async function listAlwaysIntegrations(
  db: ProjectDb,
  provider: string,
  groupRef: string,
): Promise<{ id: string; content: IntegrationContent }[]> {
  const { rows } = await sql<{ id: string; content: IntegrationContent }>`
    select n.id, r.content
    from integrations n join revisions r on r.project_id = n.project_id and r.id = n.latest_revision_id
    where n.project_id = ${db.projectId} and n.provider = ${provider} and ${areAlwaysRead}
      and not exists (select from installations i
        where i.project_id = n.project_id and i.integration_id = n.id and i.group_ref = ${groupRef})
    order by n.id`.execute(db.sql)
  return rows
}

/** Whether the project of `input` has integrations of its provider with objects that are always read. */
export const hasAlwaysIntegrations = sql<boolean>`exists (
  select from integrations n join revisions r on r.project_id = n.project_id and r.id = n.latest_revision_id
  where n.project_id = input.project_id and n.provider = input.provider and ${areAlwaysRead})`
