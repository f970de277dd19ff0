import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'
import type { Lease, Work, WorkTable } from '../../../kernel/work/index.ts'

export type TeardownRow = Selectable<Tables['teardowns']>

/** Teardowns are work: due at `next_time`, deleted when their registrations have ended. */
export const teardowns: WorkTable<TeardownRow> = {
  table: 'teardowns',
  key: ['project_id', 'id'],
  due: 'next_time',
  failures: 'attempts',
}

export async function insertTeardown(
  tx: ProjectDb,
  { id, provider, encrypted, due }: { id: string; provider: string; encrypted: string; due: RawBuilder<Date> },
): Promise<void> {
  await sql`
    insert into teardowns (project_id, id, provider, encrypted, next_time)
    values (${tx.projectId}, ${id}, ${provider}, ${encrypted}, ${due})`.execute(tx.sql)
}

/** Claims a teardown if it is due and no worker has it. */
export function claimTeardown(db: ProjectDb, work: Work, id: string): Promise<Lease<TeardownRow> | undefined> {
  return work.claimOne(db, teardowns, { where: sql`work.id = ${id}` })
}

/**
 * Stores the renewed credential, even if another worker has the lease by now: the previous refresh token may no longer
 * be valid.
 */
export async function updateTeardown(db: ProjectDb, id: string, encrypted: string): Promise<void> {
  await sql`
    update teardowns set encrypted = ${encrypted} where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}
