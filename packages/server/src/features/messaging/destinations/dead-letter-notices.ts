import { type Kysely, sql } from 'kysely'
import type { Database, ProjectDb, Tables } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { countDeadLetters, deadLettersCounted } from './dead-letter-counts.ts'
import type { DestinationHooks, NewDeadLetters } from './hooks.ts'

/** The event about new dead letters. Dead letters that are themselves such notifications cause none. */
export const deadLettersEvent = 'destination.deadletter.added'

/** Maximum number of destinations of one poll. */
const pollMax = 200

/**
 * Makes a notice about new dead letters of a destination due: now, or an hour after the last one. Writes nothing while
 * one is due.
 */
export async function markDeadLetters(tx: ProjectDb, destinationId: string): Promise<void> {
  await sql`
    update destinations
       set dead_letters_due_at = greatest(now(), dead_letters_noticed_at + interval '1 hour')
     where project_id = ${tx.projectId} and id = ${destinationId} and dead_letters_due_at is null`.execute(tx.sql)
}

/**
 * Notifies of destinations with new dead letters. A notice and its time commit together. Without any dead letters left,
 * there is no notice.
 *
 * @returns whether there may be more
 */
export async function noticeDeadLetters(services: NoticeServices): Promise<boolean> {
  const { database, log } = services
  const due = await listDue(database.system)
  for (const [projectId, rows] of Map.groupBy(due, (row) => row.projectId)) {
    const ids = rows.map(({ id }) => id)
    // The notices of one project do not wait for those of another.
    await noticeOf(database.forProject(projectId), services, ids).catch((error: unknown) =>
      log.warn({ err: error, projectId }, 'failed to notify of dead letters'),
    )
  }
  return due.length === pollMax
}

interface NoticeServices {
  database: Database
  hooks: Pick<DestinationHooks, 'deadLettersAdded'>
  log: Logger
}

function noticeOf(db: ProjectDb, { hooks }: NoticeServices, ids: readonly string[]): Promise<void> {
  return db.transaction(async (tx) => {
    const claimed = await lockDue(tx, ids)
    const counts = await countDeadLetters(
      tx,
      claimed.map(({ id }) => id),
      deadLettersCounted,
    )
    const added = claimed.flatMap(({ id, name }): NewDeadLetters[] => {
      const count = counts.get(id)
      return count === undefined ? [] : [{ destinationId: id, name, count }]
    })
    await settleNotices(tx, { claimed, added })
    if (added.length > 0) await hooks.deadLettersAdded(tx, added)
  })
}

async function listDue(system: Kysely<Tables>): Promise<{ projectId: string; id: string }[]> {
  const { rows } = await sql<{ projectId: string; id: string }>`
    select project_id as "projectId", id from destinations
     where dead_letters_due_at <= now() order by dead_letters_due_at limit ${pollMax}`.execute(system)
  return rows
}

/** Locks destinations whose notice is still due. Of two nodes, one gets each. */
async function lockDue(tx: ProjectDb, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from destinations
     where project_id = ${tx.projectId} and id = any(${ids}::uuid[]) and dead_letters_due_at <= now()
     order by id for update skip locked`.execute(tx.sql)
  return rows
}

async function settleNotices(
  tx: ProjectDb,
  { claimed, added }: { claimed: readonly { id: string }[]; added: readonly NewDeadLetters[] },
): Promise<void> {
  const noticed = added.map(({ destinationId }) => destinationId)
  await sql`
    update destinations
       set dead_letters_due_at = null,
           dead_letters_noticed_at = case when id = any(${noticed}::uuid[]) then now() else dead_letters_noticed_at end
     where project_id = ${tx.projectId} and id = any(${claimed.map(({ id }) => id)}::uuid[])`.execute(tx.sql)
}

export function destinationsTicks(services: NoticeServices): Tick[] {
  return [{ name: 'destinations.dead-letters', everyMs: 5_000, run: () => noticeDeadLetters(services) }]
}
