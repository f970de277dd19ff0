import { sql } from 'kysely'
import type { Database, ProjectDb } from '../../../kernel/db/index.ts'

export interface TeardownRow {
  id: string
  provider: string
  sealed: string
  attempts: number
}

export async function insertTeardown(
  tx: ProjectDb,
  { id, provider, sealed, nextTime }: { id: string; provider: string; sealed: string; nextTime: Date },
): Promise<void> {
  await sql`
    insert into teardowns (project_id, id, provider, sealed, next_time)
    values (${tx.projectId}, ${id}, ${provider}, ${sealed}, ${nextTime})`.execute(tx.sql)
}

export async function findTeardown(db: ProjectDb, id: string): Promise<TeardownRow | undefined> {
  const { rows } = await sql<TeardownRow>`
    select id, provider, sealed, attempts from teardowns
    where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0]
}

export async function postponeTeardown(db: ProjectDb, id: string, nextTime: Date): Promise<void> {
  await sql`
    update teardowns set attempts = attempts + 1, next_time = ${nextTime}
    where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}

/** Keeps what came of a renewal of its credential. */
export async function updateTeardown(db: ProjectDb, id: string, sealed: string): Promise<void> {
  await sql`
    update teardowns set sealed = ${sealed} where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}

export async function deleteTeardown(db: ProjectDb, id: string): Promise<void> {
  await sql`delete from teardowns where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}

/** Claims teardowns that are due, across projects; each is due again after `again` unless somebody settles it. */
export async function claimDueTeardowns(
  system: Database['system'],
  { now, again, limit }: { now: Date; again: Date; limit: number },
): Promise<{ projectId: string; id: string }[]> {
  const { rows } = await sql<{ projectId: string; id: string }>`
    with due as (
      select project_id, id from teardowns where next_time <= ${now} order by next_time limit ${limit}
      for no key update skip locked
    )
    update teardowns t set next_time = ${again} from due
    where t.project_id = due.project_id and t.id = due.id
    returning t.project_id as "projectId", t.id`.execute(system)
  return rows
}
