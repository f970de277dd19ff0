import { type Selectable, sql } from 'kysely'
import { andIf, type ProjectDb, type Tables } from '../../../kernel/db/index.ts'
import type { Operation } from './model.ts'
import { listNamedInstallations, operationResource } from './store.ts'

/** How many operations a page examines. It limits the time that a page takes, whatever the filters are. */
const examinedMax = 10_000
/** At least this many of each installation of a group. */
const examinedMin = 200

export interface OperationFilter {
  groupRef?: string | undefined
  integrationId?: string | undefined
  installationId?: string | undefined
  objectName?: string | undefined
  actionType?: string | undefined
  status?: string | undefined
  readType?: string | undefined
  /** Leaves out scheduled reads that found nothing and proxy calls that succeeded. */
  isShown?: true | undefined
  /** Ids from this one on. */
  from?: string | undefined
  /** Ids below this one. */
  below?: string | undefined
}

export interface FoundOperations {
  /** Newest first. */
  operations: Operation[]
  /** All operations from this id on were examined. Undefined if older ones need no search. */
  examinedTo: string | undefined
}

/**
 * Lists operations of a project, newest first. One filter selects an index, whose newest entries are examined: of
 * installations, of a status, of a read type, of an action, of an integration, or of the project. The other filters are
 * checked on these entries. So a page examines a limited number of operations, and says how far it came.
 */
export async function searchOperations(
  db: ProjectDb,
  filter: OperationFilter,
  limit: number,
): Promise<FoundOperations> {
  return searchOperationsOf(db, await listNamedInstallations(db, filter), filter, limit)
}

/** The same for some installations; for all of the project if `installationIds` is undefined. */
export async function searchOperationsOf(
  db: ProjectDb,
  installationIds: readonly string[] | undefined,
  filter: OperationFilter,
  limit: number,
): Promise<FoundOperations> {
  if (installationIds?.length === 0) return { operations: [], examinedTo: undefined }
  const { rows } = await (installationIds
    ? ofInstallations(db, filter, installationIds, limit)
    : ofProject(db, filter, limit)
  ).execute(db.sql)
  const operations = rows.map(operationResource)
  // One index is examined in order, so a full page has missed nothing.
  if (operations.length === limit && (installationIds?.length ?? 1) === 1) return { operations, examinedTo: undefined }
  const end = await examinedEnd(db, filter, installationIds)
  // Below the end, operations of one installation were found and those of another one not examined.
  return { operations: operations.filter(({ id }) => end === undefined || id >= end), examinedTo: end }
}

/** The one filter whose index is examined; the others are null. */
function indexedFilter({ status, readType, actionType, integrationId }: OperationFilter) {
  const none = { status: null, readType: null, actionType: null, integrationId: null }
  if (status !== undefined && status !== 'success') return { ...none, status }
  if (readType !== undefined && readType !== 'scheduled') return { ...none, readType }
  if (actionType !== undefined && actionType !== 'read') return { ...none, actionType }
  if (integrationId !== undefined) return { ...none, integrationId }
  return none
}

/** Conditions of all filters but the installation. Those of absent filters are constant, and the planner drops them. */
function checked({ integrationId, objectName, actionType, status, readType, isShown }: OperationFilter) {
  return sql<boolean>`
    (${integrationId ?? null}::uuid is null or o.integration_id = ${integrationId ?? null})
    and (${objectName ?? null}::text is null or o.resource = ${objectName ?? null})
    and (${actionType ?? null}::text is null or o.action_type = ${actionType ?? null})
    and (${status ?? null}::text is null or o.status = ${status ?? null})
    and (${readType ?? null}::text is null or o.read_type = ${readType ?? null})
    ${andIf(isShown, () => sql`not (${isQuiet})`)}`
}

/** The same as the mark `is_quiet`, which operations of earlier releases do not have. */
const isQuiet = sql`
  o.action_type = 'proxy' and o.status = 'success'
  or o.action_type = 'read' and o.status = 'success' and coalesce(o.read_type, 'scheduled') = 'scheduled'
  and coalesce(o.metadata->'progress'->>'recordsProcessed', '') = '0'`

// A value that is not that of the common case implies the condition of its index. Naming the condition too would make
// the planner expect far fewer rows, and sort all of them instead of reading the newest.
function examinedOf(db: ProjectDb, filter: OperationFilter) {
  const by = indexedFilter(filter)
  return sql<boolean>`
    e.project_id = ${db.projectId}
    and (${by.status}::text is null or e.status = ${by.status})
    and (${by.readType}::text is null or e.read_type = ${by.readType})
    and (${by.actionType}::text is null or e.action_type = ${by.actionType})
    and (${by.integrationId}::uuid is null or e.integration_id = ${by.integrationId})
    and (${filter.from ?? null}::uuid is null or e.id >= ${filter.from ?? null})
    and (${filter.below ?? null}::uuid is null or e.id < ${filter.below ?? null})`
}

function ofProject(db: ProjectDb, filter: OperationFilter, limit: number) {
  return sql<Selectable<Tables['operations']>>`
    select o.* from (
      select e.* from operations e where ${examinedOf(db, filter)} order by e.id desc limit ${examinedMax}
    ) o
     where ${checked(filter)}
     order by o.id desc limit ${limit}`
}

function ofInstallations(db: ProjectDb, filter: OperationFilter, installationIds: readonly string[], limit: number) {
  return sql<Selectable<Tables['operations']>>`
    select found.* from unnest(${installationIds}::uuid[]) as i (id)
     cross join lateral (
       select o.* from (
         select e.* from operations e
          where e.project_id = ${db.projectId} and e.installation_id = i.id and ${rangeOf(filter)}
          order by e.id desc limit ${examinedEach(installationIds)}
       ) o
        where ${checked(filter)}
        order by o.id desc limit ${limit}
     ) found
     order by found.id desc limit ${limit}`
}

function rangeOf({ from, below, isShown }: OperationFilter) {
  return sql<boolean>`
    (${from ?? null}::uuid is null or e.id >= ${from ?? null}) and (${below ?? null}::uuid is null or e.id < ${below ?? null})
    ${andIf(isShown, () => sql`e.is_quiet is null`)}`
}

function examinedEach(installationIds: readonly string[]): number {
  return Math.max(examinedMin, Math.ceil(examinedMax / installationIds.length))
}

/**
 * Returns the id of the last operation that was examined; undefined if all were. Reads indexes only. Operations that
 * began meanwhile can only make it a later id, so none is missed.
 */
async function examinedEnd(
  db: ProjectDb,
  filter: OperationFilter,
  installationIds: readonly string[] | undefined,
): Promise<string | undefined> {
  const query = installationIds
    ? sql<{ id: string }>`
        select last.id from unnest(${installationIds}::uuid[]) as i (id)
         cross join lateral (
           select e.id from operations e
            where e.project_id = ${db.projectId} and e.installation_id = i.id and ${rangeOf(filter)}
            order by e.id desc offset ${examinedEach(installationIds) - 1} limit 1
         ) last
         order by last.id desc limit 1`
    : sql<{ id: string }>`
        select e.id from operations e where ${examinedOf(db, filter)}
         order by e.id desc offset ${examinedMax - 1} limit 1`
  const { rows } = await query.execute(db.sql)
  return rows[0]?.id
}
