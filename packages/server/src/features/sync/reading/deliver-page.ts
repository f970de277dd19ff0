import { sql } from 'kysely'
import type { Lease } from '../../../kernel/work/index.ts'
import { type EndedRead, recordOperations } from '../../platform/operations/index.ts'
import { callDetails } from '../../provider-calls/calls/index.ts'
import { keepIds, messageCutter, postPages } from './commit-pages.ts'
import type { DueRead } from './due-reads.ts'
import { foundText } from './model.ts'
import type { OpenRead } from './open-read.ts'
import type { StreamedPage } from './page-stream.ts'
import type { ReadServices } from './read-services.ts'
import { dueAfterChange } from './read-soon.ts'

/**
 * Ends a scheduled read whose only request found records: gives the state back, and stores the operation and the
 * messages, in one transaction.
 *
 * @throws LeaseLost when another worker has claimed the state
 */
export async function deliverPage(
  services: ReadServices,
  lease: Lease<DueRead>,
  found: {
    read: OpenRead
    pages: StreamedPage[]
    ended: Omit<EndedRead, 'result'>
    window: { since: Date | undefined; until: Date }
    nextRunAt: Date
  },
): Promise<void> {
  const { read, pages, ended, window, nextRunAt } = found
  const { installationId, objectName, operationId, begun } = ended
  const db = services.database.forProject(lease.row.project_id)
  const records = pages.reduce((sum, { entries }) => sum + entries.length, 0)
  const messages = pages.flatMap(messageCutter(read, { operationId, kind: 'scheduled', createTime: begun }))
  const result = foundText(records)
  const again = dueAfterChange(services.work, sql`changed_time`, sql`${window.until}::timestamptz`)
  await db.transaction(async (tx) => {
    const { rows: mine } = await sql`
      update read_states
         set fence = null, lease_until = null, failure_count = 0, last_error = null, update_time = now(),
             last_run_time = ${begun}, last_run_status = 'success',
             next_run_at = case when next_run_at = ${lease.row.due_at}::timestamptz
                                then least(${nextRunAt}::timestamptz, ${again}) else next_run_at end,
             high_water_mark = greatest(high_water_mark, ${window.until}::timestamptz)
       where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}
         and fence = ${lease.fence}
      returning 1`.execute(tx.sql)
    if (mine.length === 0) throw lease.lose()
    await recordOperations(tx, services, [
      {
        id: operationId,
        integrationId: ended.integrationId,
        installationId,
        configId: ended.configId,
        actionType: 'read',
        readType: 'scheduled',
        resource: objectName,
        metadata: {
          objects: [objectName],
          progress: { installationId, objectName, operationId, recordsProcessed: records },
        },
        status: 'success',
        result: `[${objectName}] ${result}`,
        begun,
        ended: services.now(),
        line: {
          severity: 'INFO',
          msg: result,
          details: {
            kind: 'scheduled',
            ...(window.since && { since: window.since.toISOString() }),
            until: window.until.toISOString(),
            ...callDetails(pages.flatMap(({ calls }) => calls)),
            records: `${records}`,
            messages: `${messages.length}`,
          },
        },
      },
    ])
    await keepIds(tx, services, read, pages)
    await postPages(tx, services, read, messages)
  })
  lease.settled()
  services.metrics.recordsRead.inc({ kind: 'scheduled' }, records)
  services.counts.add({ projectId: db.projectId, installationId, objectName }, { reads: 1, recordsRead: records })
}
