import { sql } from 'kysely'
import type { Tick } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { renewConnectionJob } from '../jobs/renew-connection.ts'

const batchSize = 200
/** A job that never came to its end leaves its connection due again after this. */
const againAfterMs = 15 * 60_000

/**
 * Enqueues the renewal of credentials that are due, across projects: the cost follows what is due (partial index
 * `credentials_to_renew`). Those that are being renewed are passed over. Answers how many there were.
 */
export async function claimDueRenewals({
  database,
  queue,
  now,
}: Pick<Services, 'database' | 'queue' | 'now'>): Promise<number> {
  return database.system.transaction().execute(async (tx) => {
    const again = new Date(now().getTime() + againAfterMs)
    const { rows } = await sql<{ project_id: string; connection_id: string }>`
      with due as (
        select project_id, connection_id from connection_credentials
        where renew_at <= ${now()} order by renew_at limit ${batchSize} for no key update skip locked
      )
      update connection_credentials k set renew_at = ${again} from due
      where k.project_id = due.project_id and k.connection_id = due.connection_id
      returning k.project_id, k.connection_id`.execute(tx)
    const items = rows.map(({ project_id: projectId, connection_id: connectionId }) => ({
      data: { projectId, connectionId },
      key: connectionId,
    }))
    await queue.enqueueAll({ sql: tx }, renewConnectionJob, items)
    return rows.length
  })
}

export function connectionsTicks(services: Pick<Services, 'database' | 'queue' | 'now'>): Tick[] {
  return [
    {
      name: 'connections.keep-alive',
      everyMs: 10_000,
      run: async () => (await claimDueRenewals(services)) === batchSize,
    },
  ]
}
