import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'

/**
 * Increments each count. A count whose window has passed restarts at one. Locks rows in a fixed order, so that two
 * requests cannot deadlock.
 */
export async function countAttempt(
  system: Kysely<Tables>,
  subjects: Buffer[],
  now: Date,
  until: Date,
): Promise<{ subject_hash: Buffer; count: number; until: Date }[]> {
  const ordered = subjects.toSorted(Buffer.compare)
  const { rows } = await sql<{ subject_hash: Buffer; count: number; until: Date }>`
    insert into sign_in_attempts as known (subject_hash, count, until)
    select subject, 1, ${until} from unnest(${ordered}::bytea[]) with ordinality as given (subject, at) order by at
    on conflict (subject_hash) do update
      set count = case when known.until <= ${now} then 1 else known.count + 1 end,
          until = case when known.until <= ${now} then excluded.until else known.until end
    returning subject_hash, count, until`.execute(system)
  return rows
}

/** Undoes an attempt that turned out not to be a guess: resets some counts and decrements the others. */
export async function uncountAttempt(
  system: Kysely<Tables>,
  { cleared, lowered }: { cleared: Buffer[]; lowered: Buffer[] },
): Promise<void> {
  await sql`
    update sign_in_attempts set count = case when subject_hash = any(${cleared}) then 0 else greatest(count - 1, 0) end
     where subject_hash in (select subject_hash from sign_in_attempts
                             where subject_hash = any(${[...cleared, ...lowered]}) order by subject_hash for update)`.execute(
    system,
  )
}

/** Returns whether an account signed in from this network before. */
export async function isKnownSubject(system: Kysely<Tables>, subject: Buffer, now: Date): Promise<boolean> {
  const row = await system
    .selectFrom('sign_in_addresses')
    .select('until')
    .where('subject_hash', '=', subject)
    .where('until', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

export async function rememberSubject(system: Kysely<Tables>, subject: Buffer, until: Date): Promise<void> {
  await system
    .insertInto('sign_in_addresses')
    .values({ subject_hash: subject, until })
    .onConflict((conflict) => conflict.column('subject_hash').doUpdateSet({ until }))
    .execute()
}
