import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/index.ts'

/** How long an answer is kept: within that time a key means the same request. */
const keptHours = 24

export interface IdempotencyRow {
  fingerprint: Buffer
  /** Null while the first request runs. */
  status: number | null
  encrypted_answer: string | null
  /** Since the first request began. */
  age_ms: number
}

/** Names a row. Requests of builders that name no project have a table without projects. */
export interface IdempotencyId {
  id: Buffer
  projectId: string | undefined
}

const tableOf = ({ projectId }: IdempotencyId) =>
  projectId === undefined ? sql.table('builder_idempotency_keys') : sql.table('idempotency_keys')

const keyOf = ({ projectId }: IdempotencyId) => (projectId === undefined ? sql`id` : sql`project_id, id`)

const valuesOf = ({ id, projectId }: IdempotencyId) => (projectId === undefined ? sql`${id}` : sql`${projectId}, ${id}`)

const isRow = ({ id, projectId }: IdempotencyId) =>
  projectId === undefined ? sql`id = ${id}` : sql`project_id = ${projectId} and id = ${id}`

/** Takes a key for a request; false when another has it. One that is past its time counts as free, purged or not. */
export async function claimIdempotencyKey(
  db: Kysely<Tables>,
  { fingerprint, ...key }: IdempotencyId & { fingerprint: Buffer },
): Promise<boolean> {
  const { rows } = await sql`
    insert into ${tableOf(key)} as kept (${keyOf(key)}, fingerprint) values (${valuesOf(key)}, ${fingerprint})
    on conflict (${keyOf(key)}) do update
       set fingerprint = excluded.fingerprint, status = null, encrypted_answer = null, create_time = now()
     where kept.create_time < now() - make_interval(hours => ${keptHours})
    returning 1`.execute(db)
  return rows.length > 0
}

export async function findIdempotencyKey(db: Kysely<Tables>, key: IdempotencyId): Promise<IdempotencyRow | undefined> {
  const { rows } = await sql<IdempotencyRow>`
    select fingerprint, status, encrypted_answer, (extract(epoch from now() - create_time) * 1000)::float8 as age_ms
      from ${tableOf(key)} where ${isRow(key)}`.execute(db)
  return rows[0]
}

export async function updateIdempotencyAnswer(
  db: Kysely<Tables>,
  key: IdempotencyId,
  { status, encrypted }: { status: number; encrypted: string },
): Promise<void> {
  await sql`
    update ${tableOf(key)} set status = ${status}, encrypted_answer = ${encrypted} where ${isRow(key)}`.execute(db)
}

/** Gives a key back that its request did not use up. */
export async function deleteIdempotencyKey(db: Kysely<Tables>, key: IdempotencyId): Promise<void> {
  await sql`delete from ${tableOf(key)} where ${isRow(key)} and status is null`.execute(db)
}

/** Forgets keys that are past their time, at most `limit` of each table; answers how many. */
export async function deleteOldIdempotencyKeys(db: Kysely<Tables>, limit = 5_000): Promise<number> {
  const old = sql`create_time < now() - make_interval(hours => ${keptHours})
       order by create_time limit ${limit} for update skip locked`
  const ofProjects = await sql`
    delete from idempotency_keys where (project_id, id) in (
      select project_id, id from idempotency_keys where ${old})`.execute(db)
  const ofBuilders = await sql`
    delete from builder_idempotency_keys where id in (select id from builder_idempotency_keys where ${old})`.execute(db)
  return Number((ofProjects.numAffectedRows ?? 0n) + (ofBuilders.numAffectedRows ?? 0n))
}
