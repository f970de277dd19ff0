import { type RawBuilder, type Selectable, sql } from 'kysely'
import { andIf, type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'

/** Records that a page examines at most, whatever its filters are. */
export const examinedMax = 1_000
/** About the size of the contents of a page, in bytes. A larger record is the only one of its page. */
const pageBytesMax = 4 * 2 ** 20
/** Above this number of installations, a page examines the records of all, and leaves out the others. */
const installationsMax = 50

export interface RecordFilter {
  storeId: string
  objectName: string
  /** Records of any of these. */
  installationIds?: readonly string[] | undefined
  provider?: string | undefined
  includeDeleted: boolean
  /** Positions above this one. */
  after: number
}

const columns = [
  'installation_id',
  'record_id',
  'group_ref',
  'provider',
  'workspace',
  'position',
  'message_id',
  'deleted_at',
  'content',
  'encrypted_content',
] as const

export type RecordRow = Pick<Selectable<Tables['records']>, (typeof columns)[number]> & {
  /** Hex digits. */
  record_key: string
}

export interface RecordPage {
  rows: RecordRow[]
  /** The position that the page ends at. */
  end: number
  /** Whether there may be more. */
  hasMore: boolean
  /** The position of the last change of the store, and of the last deleted record that was forgotten. */
  storePosition: number
  forgottenPosition: number
}

interface PageRow extends RecordRow {
  /** Null in all rows but the first, and without a store. */
  store_position: number | null
  forgotten_position: number
  examined: number
  examined_to: number | null
  found: number
}

/**
 * Lists records in the order of their last change. A page reads one index from its beginning, as far as the page or
 * `examinedMax` goes. So a later page costs no more, nor does a filter that few records match: then a page has fewer.
 */
export async function pageOfRecords(db: ProjectDb, filter: RecordFilter, limit: number): Promise<RecordPage> {
  const { rows } = await pageQuery(db, filter, limit).execute(db.sql)
  const [first] = rows
  if (!first || first.store_position === null) throw new Error('The store of the records was deleted.')
  const all = rows.filter((row) => row.record_id !== null)
  const shown = all.slice(0, limit)
  const isCut = first.found > shown.length
  const last = shown.at(-1)
  return {
    rows: shown,
    end: isCut && last ? last.position : (first.examined_to ?? filter.after),
    hasMore: isCut || first.examined === windowOf(filter, limit),
    storePosition: first.store_position,
    forgottenPosition: first.forgotten_position,
  }
}

/** One more than is returned shows that there are more. */
function windowOf({ includeDeleted, provider, installationIds }: RecordFilter, limit: number): number {
  const isFiltered = !includeDeleted || provider !== undefined || installationIds !== undefined
  return isFiltered ? Math.max(examinedMax, limit + 1) : limit + 1
}

/**
 * The first row also has what is so for the page, and is there also where no record is found. In each row, that would
 * cost time on both sides of the connection.
 */
export function pageQuery(db: ProjectDb, filter: RecordFilter, limit: number): RawBuilder<PageRow> {
  const { storeId, provider, installationIds, includeDeleted } = filter
  const isMany = installationIds !== undefined && installationIds.length > installationsMax
  return sql<PageRow>`${prepared}
    with examined as materialized (${examinedRecords(db, filter, limit)}),
         found as (
           select e.*, row_number() over positions as number,
                  sum(e.content_bytes) over positions - e.content_bytes as bytes_before
             from examined e
            where not exists (select from record_removals r
                               where r.project_id = ${db.projectId} and r.installation_id = e.installation_id)
              ${andIf(provider, (name) => sql`e.provider = ${name}`)}
              ${andIf(isMany ? installationIds : undefined, (ids) => sql`e.installation_id = any(${ids}::uuid[])`)}
              ${includeDeleted ? sql`` : sql`and e.deleted_at is null`}
           window positions as (order by e.position)
            order by e.position limit ${limit + 1}
         ),
         page as (
           select 1::bigint as number, s.position as store_position, s.forgotten_position,
                  (select count(*)::int from examined) as examined,
                  (select max(position) from examined) as examined_to, (select count(*)::int from found) as found
             from record_stores s where s.project_id = ${db.projectId} and s.id = ${storeId}
         )
    select p.store_position, p.forgotten_position, p.examined, p.examined_to, p.found,
           encode(f.record_key, 'hex') as record_key, ${sql.raw(columns.map((column) => `f.${column}`).join(', '))}
      from page p full join (select * from found where bytes_before < ${pageBytesMax}) f on f.number = p.number
     order by f.number nulls first`
}

function examinedRecords(db: ProjectDb, filter: RecordFilter, limit: number): RawBuilder<unknown> {
  const { installationIds } = filter
  if (installationIds === undefined || installationIds.length > installationsMax)
    return nextRecords(db, filter, limit, sql`true`)
  // The next of each, and of these the next: one index scan cannot have the order of several installations.
  return sql`
    select n.* from unnest(${installationIds}::uuid[]) as i (id)
      cross join lateral (${nextRecords(db, filter, limit, sql`installation_id = i.id`)}) n
     order by n.position limit ${windowOf(filter, limit)}`
}

function nextRecords(
  db: ProjectDb,
  filter: RecordFilter,
  limit: number,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { storeId, objectName, after } = filter
  return sql`
    select ${sql.raw([...columns, 'record_key', 'content_bytes'].join(', '))} from records
     where project_id = ${db.projectId} and store_id = ${storeId} and object_name = ${objectName} and position > ${after}
       and ${condition}
     order by position limit ${windowOf(filter, limit)}`
}

export interface StoredObject {
  objectName: string
  destinationName: string
  position: number
}

/** Objects of one store that a list has at most. */
const objectsMax = 1_000

/** Lists the objects of stores that have records: one look into the index for each. */
export async function listObjects(db: ProjectDb): Promise<StoredObject[]> {
  const { rows } = await sql<{ object_name: string; name: string; position: number }>`
    select o.object_name, d.name, newest.position
      from record_stores s
      join destinations d on d.project_id = s.project_id and d.id = s.destination_id
      cross join lateral (
        with recursive names (object_name) as (
          (select object_name from records
            where project_id = ${db.projectId} and store_id = s.id order by object_name limit 1)
          union all
          select (select object_name from records
                   where project_id = ${db.projectId} and store_id = s.id and object_name > names.object_name
                   order by object_name limit 1)
            from names where names.object_name is not null
        )
        select object_name from names where object_name is not null limit ${objectsMax}
      ) o
      cross join lateral (
        select position from records
         where project_id = ${db.projectId} and store_id = s.id and object_name = o.object_name
         order by position desc limit 1
      ) newest
     where s.project_id = ${db.projectId}
     order by o.object_name, s.destination_id`.execute(db.sql)
  return rows.map(({ object_name, name, position }) => ({ objectName: object_name, destinationName: name, position }))
}

export async function hasObject(
  db: ProjectDb,
  { storeId, objectName }: { storeId: string; objectName: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from records where project_id = ${db.projectId} and store_id = ${storeId} and object_name = ${objectName}
     limit 1`.execute(db.sql)
  return rows.length > 0
}
