import { type Kysely, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'
import type { Seal } from './entry.ts'

interface Row {
  number: string
  firstSequence: string
  entryIds: string[]
  entryHashes: Buffer
  previousHash: Buffer
  hash: Buffer
}

/** Lists logs with entries that wait to be sealed. */
export async function listUnsealedLogs(system: Kysely<Tables>, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct project_id as id from audit_unsealed limit ${limit}`.execute(system)
  return rows.map(({ id }) => id)
}

/** Locks a log against other nodes until the transaction ends. Returns false if another node seals it. */
export async function lockLog(tx: Kysely<Tables>, logId: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`mortise.audit ${logId}`}, 0)) as locked`.execute(tx)
  return rows[0]?.locked ?? false
}

/** Returns the ids of entries that wait to be sealed, in their order. */
export async function listUnsealed(tx: Kysely<Tables>, logId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select entry_id as id from audit_unsealed where project_id = ${logId} order by entry_id limit ${limit}`.execute(tx)
  return rows.map(({ id }) => id)
}

export async function deleteUnsealed(tx: Kysely<Tables>, logId: string, ids: readonly string[]): Promise<void> {
  await sql`
    delete from audit_unsealed where project_id = ${logId} and entry_id = any(${ids}::uuid[])`.execute(tx)
}

/** Inserts a seal. Its number is unique in the log, so that two nodes can never fork the chain. */
export async function insertSeal(tx: Kysely<Tables>, logId: string, seal: Seal): Promise<void> {
  const ordered = seal.entryIds.toSorted()
  await sql`
    insert into audit_seals (project_id, number, first_sequence, entry_ids, entry_hashes, first_id, last_id, previous_hash, hash)
    values (${logId}, ${seal.number}, ${seal.firstSequence}, ${seal.entryIds}::uuid[], ${seal.entryHashes},
            ${ordered[0]}::uuid, ${ordered.at(-1)}::uuid, ${seal.previousHash}, ${seal.hash})`.execute(tx)
}

export async function findLastSeal(tx: Kysely<Tables>, logId: string): Promise<Seal | undefined> {
  const { rows } = await sql<Row>`
    select number, first_sequence as "firstSequence", entry_ids as "entryIds", entry_hashes as "entryHashes",
           previous_hash as "previousHash", hash
      from audit_seals where project_id = ${logId} order by number desc limit 1`.execute(tx)
  return rows.map(sealOf)[0]
}

/** Lists seals in the order of the chain, after a number. */
export async function listSeals(db: ProjectDb, after: number, limit: number): Promise<Seal[]> {
  const { rows } = await sql<Row>`
    select number, first_sequence as "firstSequence", entry_ids as "entryIds", entry_hashes as "entryHashes",
           previous_hash as "previousHash", hash
      from audit_seals where project_id = ${db.projectId} and number > ${after} order by number limit ${limit}`.execute(
    db.sql,
  )
  return rows.map(sealOf)
}

function sealOf(row: Row): Seal {
  return { ...row, number: Number(row.number), firstSequence: Number(row.firstSequence) }
}

export interface Membership {
  /** Id of the last entry of the page; undefined after the end. */
  last: string | undefined
  entries: number
  unsealed: number
  /** The first entry of the page that no seal contains and that does not wait for one. */
  stranger: string | undefined
}

/** Compares a page of entries, in the order of their ids, with the seals and with the entries that wait for one. */
export async function findMembership(db: ProjectDb, after: string, limit: number): Promise<Membership> {
  const { rows } = await sql<Membership>`
    with page as materialized (
      select id from audit_entries where project_id = ${db.projectId} and id > ${after} order by id limit ${limit}
    ), waiting as (
      select entry_id as id from audit_unsealed where project_id = ${db.projectId}
    ), sealed as (
      select unnest(entry_ids) as id from audit_seals
       where project_id = ${db.projectId} and last_id > ${after} and first_id <= (select max(id::text)::uuid from page)
    )
    select (select max(id::text) from page) as last,
           (select count(*)::int from page) as entries,
           (select count(*)::int from page where id in (select id from waiting)) as unsealed,
           (select min(page.id::text) from page
             where page.id not in (select id from waiting) and page.id not in (select id from sealed)) as stranger`.execute(
    db.sql,
  )
  const { last, entries = 0, unsealed = 0, stranger } = rows[0] ?? {}
  return { last: last ?? undefined, entries, unsealed, stranger: stranger ?? undefined }
}
