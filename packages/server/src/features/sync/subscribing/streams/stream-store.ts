import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../../kernel/db/index.ts'
import type { WorkTable } from '../../../../kernel/work/index.ts'

export type StreamRow = Selectable<Tables['streams']>

/**
 * Streams are recurring work. One is due until a node has it, and a node has it for as long as its connection to the
 * provider is open.
 */
export const streams: WorkTable<StreamRow> = {
  table: 'streams',
  key: ['project_id', 'installation_id'],
  due: 'next_time',
  failures: 'attempts',
}

/**
 * Makes the stream of an installation due, and takes it from the node that has it: what it follows has changed. The
 * positions stay.
 */
export async function restartStream(tx: ProjectDb, installationId: string, due: RawBuilder<Date>): Promise<void> {
  await sql`
    insert into streams as s (project_id, installation_id, next_time)
    values (${tx.projectId}, ${installationId}, ${due})
    on conflict (project_id, installation_id) do update set next_time = excluded.next_time, attempts = 0, fence = null,
      lease_until = null`.execute(tx.sql)
}

/** SQL that sets the position of one object. */
export function withPosition(object: string, position: string): RawBuilder<unknown> {
  return sql`positions = work.positions || jsonb_build_object(${object}::text, ${position}::text)`
}

/** Sets why changes do not arrive, or null. Returns what was set before; undefined if the subscription is deleted. */
export async function setSubscriptionError(
  tx: ProjectDb,
  installationId: string,
  error: string | null,
): Promise<{ before: string | null } | undefined> {
  const { rows } = await sql<{ before: string | null }>`
    with known as (
      select error from subscriptions
       where project_id = ${tx.projectId} and installation_id = ${installationId} for no key update
    ), changed as (
      update subscriptions set error = ${error}, update_time = now()
       where project_id = ${tx.projectId} and installation_id = ${installationId}
         and (select error from known) is distinct from ${error}::text
    )
    select error as before from known`.execute(tx.sql)
  return rows[0]
}
