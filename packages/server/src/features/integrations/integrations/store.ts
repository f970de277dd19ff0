import type { AgentIntegration, IntegrationContent } from '@mortise/manifest'
import { type RawBuilder, sql } from 'kysely'
import { andIf, isId, type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import { type Confinement, mayUseIntegration, type PageBounds } from '../../../kernel/http/index.ts'
import type { IntegrationRow, RevisionRow } from './model.ts'

/** Locks deploys and deletions of a project until the transaction ends. */
export async function lockDeploys(tx: ProjectDb): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('mortise.deploy'), hashtext(${tx.projectId}))`.execute(tx.sql)
}

async function selectIntegrations(
  db: ProjectDb,
  condition: RawBuilder<unknown>,
  how: RawBuilder<unknown> = sql``,
): Promise<IntegrationRow[]> {
  const { rows } = await sql<IntegrationRow>`${how}
    select i.id, i.project_id as "projectId", i.name, i.provider, i.create_time as "createTime", i.update_time as "updateTime",
           r.id as "revisionId", r.spec_version as "specVersion", r.create_time as "revisionCreateTime", r.content
      from integrations i join revisions r on r.project_id = i.project_id and r.id = i.latest_revision_id
     where i.project_id = ${db.projectId} and ${condition}`.execute(db.sql)
  return rows
}

/** Lists all integrations of the project, oldest first. */
export async function listIntegrationRows(db: ProjectDb, { after, limit }: PageBounds = {}): Promise<IntegrationRow[]> {
  const behind = sql`true ${andIf(after, (id) => sql`i.id > ${id}`)}`
  return await selectIntegrations(db, sql`${behind} order by i.id limit ${limit ?? null}`, prepared)
}

/** Lists the integrations of one provider, or of these ids, with their latest contents. */
export async function listIntegrationsOf(
  db: ProjectDb,
  of: { provider: string } | { ids: readonly string[] },
): Promise<IntegrationRow[]> {
  const condition = 'provider' in of ? sql`i.provider = ${of.provider}` : sql`i.id = any(${of.ids}::uuid[])`
  return await selectIntegrations(db, condition, prepared)
}

/** What a list of integrations shows. */
export interface IntegrationSummary {
  id: string
  name: string
  displayName: string
  provider: string
  revisionId: string
  /** Whether it subscribes to changes. */
  subscribes: boolean
}

/** Lists integrations without their contents, oldest first; only those of `ids`, if given. */
export async function listIntegrationSummaries(
  db: ProjectDb,
  ids: readonly string[] | undefined,
): Promise<IntegrationSummary[]> {
  const { rows } = await sql<IntegrationSummary>`${prepared}
    select i.id, i.name, coalesce(r.content->>'displayName', i.name) as "displayName", i.provider, r.id as "revisionId",
           r.content ? 'subscribe' as subscribes
      from integrations i join revisions r on r.project_id = i.project_id and r.id = i.latest_revision_id
     where i.project_id = ${db.projectId} ${andIf(ids, (wanted) => sql`i.id = any(${wanted}::uuid[])`)}
     order by i.id`.execute(db.sql)
  return rows
}

/** An integration that agents may use. */
export interface AgentIntegrationRow {
  id: string
  name: string
  provider: string
  agent: AgentIntegration
  /** Names in messages by the provider's names of read objects, where the manifest gives them. */
  mappedNames: Record<string, string> | null
}

/** Lists the integrations whose newest content has `agent`, oldest first. */
export async function listAgentIntegrations(db: ProjectDb): Promise<AgentIntegrationRow[]> {
  const { rows } = await sql<AgentIntegrationRow>`${prepared}
    select i.id, i.name, i.provider, r.content->'agent' as agent,
           (select jsonb_object_agg(o->>'objectName', o->>'mapToName')
              from jsonb_array_elements(r.content->'read'->'objects') as o where o ? 'mapToName') as "mappedNames"
      from integrations i join revisions r on r.project_id = i.project_id and r.id = i.latest_revision_id
     where i.project_id = ${db.projectId} and r.content ? 'agent'
     order by i.id`.execute(db.sql)
  return rows
}

/** Finds the integration of this id, otherwise of exactly this name. A connect session finds only what it is for. */
export async function findIntegration(
  db: ProjectDb,
  idOrName: string,
  confinedTo?: Confinement,
): Promise<IntegrationRow | undefined> {
  const byName = sql`i.name = ${idOrName}`
  const rows = await selectIntegrations(db, isId(idOrName) ? sql`(i.id = ${idOrName} or ${byName})` : byName, prepared)
  const row = rows.find(({ id }) => id === idOrName.toLowerCase()) ?? rows[0]
  return row && mayUseIntegration(confinedTo, row.id) ? row : undefined
}

/** Returns the newest content of an integration. */
export async function latestContent(db: ProjectDb, integrationId: string): Promise<IntegrationContent | undefined> {
  return (await findIntegration(db, integrationId))?.content
}

/** Lists integrations of some providers whose newest content subscribes, oldest first. */
export async function listSubscribing(
  db: ProjectDb,
  providers: string[],
  limit: number,
): Promise<(Pick<IntegrationRow, 'id' | 'name' | 'provider'> & { module: string | undefined })[]> {
  const { rows } = await sql<Pick<IntegrationRow, 'id' | 'name' | 'provider'> & { module: string | null }>`
    select i.id, i.name, i.provider, r.content ->> 'module' as module
      from integrations i join revisions r on r.project_id = i.project_id and r.id = i.latest_revision_id
     where i.project_id = ${db.projectId} and i.provider = any(${providers}) and r.content -> 'subscribe' is not null
     order by i.id limit ${limit}`.execute(db.sql)
  return rows.map(({ module, ...row }) => ({ ...row, module: module ?? undefined }))
}

/** Locks an integration against new installations of it, until the transaction ends. */
export async function lockIntegrationForDelete(tx: ProjectDb, id: string): Promise<void> {
  await sql`select from integrations where project_id = ${tx.projectId} and id = ${id} for update`.execute(tx.sql)
}

/** Deletes an integration with its revisions. */
export async function deleteIntegrationRow(tx: ProjectDb, id: string): Promise<void> {
  await tx.sql.deleteFrom('integrations').where('project_id', '=', tx.projectId).where('id', '=', id).execute()
}

/** Lists revisions of an integration, newest first: those before `after`, at most `limit`. */
export async function listRevisionRows(
  db: ProjectDb,
  integrationId: string,
  page: { after: string | undefined; limit: number | undefined },
): Promise<RevisionRow[]> {
  const { rows } = await sql<RevisionRow>`${prepared}
    select id, spec_version as "specVersion", create_time as "createTime", content from revisions
     where project_id = ${db.projectId} and integration_id = ${integrationId}
       ${andIf(page.after, (after) => sql`id < ${after}`)}
     order by id desc limit ${page.limit ?? null}`.execute(db.sql)
  return rows
}

/** Finds a revision of an integration. */
export async function findRevision(db: ProjectDb, integrationId: string, id: string): Promise<RevisionRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<RevisionRow>`${prepared}
    select id, spec_version as "specVersion", create_time as "createTime", content from revisions
     where project_id = ${db.projectId} and integration_id = ${integrationId} and id = ${id}`.execute(db.sql)
  return rows[0]
}

/** An integration that must exist after a deploy. */
export interface WantedIntegration {
  name: string
  /** SHA-256 of the revision, in hex. */
  hash: string
}

export interface DeployedIntegration {
  id: string
  name: string
  createTime: Date
  updateTime: Date | null
  revisionId: string
  revisionCreateTime: Date
  /** Whether the newest revision is the wanted one. */
  same: boolean
  /** The newest content if it differs. */
  content: IntegrationContent | null
}

/** Returns those of the wanted integrations that exist, compared by hash. */
export async function compareIntegrations(tx: ProjectDb, wanted: WantedIntegration[]): Promise<DeployedIntegration[]> {
  const { rows } = await sql<DeployedIntegration>`
    select i.id, i.name, i.create_time as "createTime", i.update_time as "updateTime",
           r.id as "revisionId", r.create_time as "revisionCreateTime",
           r.content_hash = decode(wanted.hash, 'hex') as same,
           case when r.content_hash <> decode(wanted.hash, 'hex') then r.content end as content
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as wanted (name text, hash text)
      join integrations i on i.project_id = ${tx.projectId} and i.name = wanted.name
      join revisions r on r.project_id = i.project_id and r.id = i.latest_revision_id`.execute(tx.sql)
  return rows
}

export interface NewRevision extends WantedIntegration {
  integrationId: string
  revisionId: string
  provider: string
  specVersion: string
  content: IntegrationContent
}

export interface WrittenIntegration {
  id: string
  createTime: Date
  updateTime: Date | null
}

/**
 * Adds a revision to each integration and makes it the latest. Creates integrations that are new. Uses one statement
 * regardless of their number: the two tables reference each other by deferred constraints.
 */
export async function insertRevisions(tx: ProjectDb, revisions: NewRevision[]): Promise<WrittenIntegration[]> {
  const { rows } = await sql<WrittenIntegration>`
    with wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(revisions)}::jsonb) as wanted
        ("integrationId" uuid, "revisionId" uuid, name text, provider text, "specVersion" text, content jsonb, hash text)
    ), added as (
      insert into revisions (project_id, id, integration_id, spec_version, content, content_hash)
      select ${tx.projectId}, "revisionId", "integrationId", "specVersion", content, decode(hash, 'hex') from wanted
    )
    insert into integrations as i (project_id, id, name, provider, latest_revision_id)
    select ${tx.projectId}, "integrationId", name, provider, "revisionId" from wanted
    on conflict (project_id, id) do update
      set provider = excluded.provider, latest_revision_id = excluded.latest_revision_id, update_time = now()
    returning i.id, i.create_time as "createTime", i.update_time as "updateTime"`.execute(tx.sql)
  return rows
}
