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

/** Takes a key for a request; false when another has it. One that is past its time counts as free, purged or not. */
export async function claimIdempotencyKey(
  db: Kysely<Tables>,
  claim: { id: Buffer; projectId: string | undefined; fingerprint: Buffer },
): Promise<boolean> {
  const { rows } = await sql`
    insert into idempotency_keys (id, project_id, fingerprint)
    values (${claim.id}, ${claim.projectId ?? null}, ${claim.fingerprint})
    on conflict (id) do update
       set fingerprint = excluded.fingerprint, status = null, encrypted_answer = null, create_time = now()
     where idempotency_keys.create_time < now() - make_interval(hours => ${keptHours})
    returning 1`.execute(db)
  return rows.length > 0
}

export async function findIdempotencyKey(db: Kysely<Tables>, id: Buffer): Promise<IdempotencyRow | undefined> {
  const { rows } = await sql<IdempotencyRow>`
    select fingerprint, status, encrypted_answer, (extract(epoch from now() - create_time) * 1000)::float8 as age_ms
      from idempotency_keys where id = ${id}`.execute(db)
  return rows[0]
}

export async function updateIdempotencyAnswer(
  db: Kysely<Tables>,
  id: Buffer,
  answer: { status: number; encrypted: string },
): Promise<void> {
  await sql`update idempotency_keys set status = ${answer.status}, encrypted_answer = ${answer.encrypted} where id = ${id}`.execute(
    db,
  )
}

/** Gives a key back that its request did not use up. */
export async function deleteIdempotencyKey(db: Kysely<Tables>, id: Buffer): Promise<void> {
  await sql`delete from idempotency_keys where id = ${id} and status is null`.execute(db)
}

/** Forgets keys that are past their time, at most `limit` of them; answers how many. */
export async function deleteOldIdempotencyKeys(db: Kysely<Tables>, limit = 5_000): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from idempotency_keys where id in (
      select id from idempotency_keys
       where create_time < now() - make_interval(hours => ${keptHours})
       order by create_time limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows)
}
