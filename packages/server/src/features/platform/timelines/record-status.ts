import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { recordEvents } from './event-store.ts'

/**
 * Records a new status of a connection. Each renewal of an access token makes a working connection unproven until its
 * next request. That is not recorded.
 */
export async function recordStatus(
  tx: ProjectDb,
  { connectionId, from, to, error }: { connectionId: string; from: string; to: string; error?: string },
): Promise<void> {
  if (from === 'working' && to === 'created') return
  if (from === 'created' && to === 'working' && (await lastStatus(tx, connectionId)) === 'working') return
  const details = { from, to, ...(error !== undefined && { reason: error }) }
  await recordEvents(tx, [{ kind: 'connection.status', of: { connectionId }, details }])
}

/** Returns the status that was recorded last. */
async function lastStatus(tx: ProjectDb, connectionId: string): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`
    select details->>'to' as status from resource_events
     where project_id = ${tx.projectId} and connection_id = ${connectionId} and installation_id is null
       and kind = 'connection.status'
     order by id desc limit 1`.execute(tx.sql)
  return rows[0]?.status
}
