import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'
import type { Lease, Work, WorkTable } from '../../../kernel/work/index.ts'

/**
 * What is still to be erased of a deleted group or consumer. `id` is a UUIDv7 from the start of the deletion: messages
 * with lower ids were posted before it. `cursor` is the last message that was processed.
 */
export type ErasureRow = Selectable<Tables['erasures']>

/** Erasures are work: due at `due_time`, deleted when nothing is left. */
export const erasures: WorkTable<ErasureRow> = {
  table: 'erasures',
  key: ['project_id', 'id'],
  due: 'due_time',
  failures: 'failures',
}

export async function insertErasure(
  tx: ProjectDb,
  {
    id,
    kind,
    ref,
    installationIds,
    due,
  }: Pick<ErasureRow, 'id' | 'kind' | 'ref'> & { installationIds: string[]; due: RawBuilder<Date> },
): Promise<void> {
  await sql`
    insert into erasures (project_id, id, kind, ref, installation_ids, due_time)
    values (${tx.projectId}, ${id}, ${kind}, ${ref}, ${installationIds}::uuid[], ${due})`.execute(tx.sql)
}

/** Claims an erasure if it is due and not claimed. */
export function claimErasure(db: ProjectDb, work: Work, id: string): Promise<Lease<ErasureRow> | undefined> {
  return work.claimOne(db, erasures, { where: sql`work.id = ${id}` })
}
