import { diffContent, type IntegrationContent } from '@mortise/manifest'
import type { ProjectDb } from '../../kernel/db/index.ts'
import type { ConnectionStatus, Services } from '../../services.ts'
import { type ResyncScope, resyncInstallations } from './jobs/resync-installations.ts'
import { pauseObjectsOfConnection, pauseObjectsOfIntegration } from './pause-store.ts'

/** What changes elsewhere mean for reading. Each runs inside the transaction of the change. */

/**
 * After a deploy: a destructive one pauses what it left out, everywhere and at once; schedules of the installations follow in a job,
 * so that a deploy does not grow with their number.
 */
export async function syncAfterDeploy(
  tx: ProjectDb,
  { queue }: Pick<Services, 'queue'>,
  change: {
    integrationId: string
    before: IntegrationContent | undefined
    after: IntegrationContent
    destructive: boolean
  },
): Promise<void> {
  if (!change.before) return
  const { read } = diffContent(change.before, change.after)
  if (change.destructive && read.removed.length > 0)
    await pauseObjectsOfIntegration(tx, change.integrationId, read.removed)
  if (read.added.length + read.changed.length + read.removed.length === 0) return
  await resync(tx, queue, { integrationId: change.integrationId })
}

/**
 * A connection whose credentials are refused is not asked again on a schedule. When they work again, its installations are brought in
 * line: their pauses end, and backfills that were given up begin again.
 */
export async function pauseForCredentials(
  tx: ProjectDb,
  { queue }: Pick<Services, 'queue'>,
  change: { connectionId: string; from: ConnectionStatus; to: ConnectionStatus },
): Promise<void> {
  if (change.to === 'bad_credentials') await pauseObjectsOfConnection(tx, change.connectionId)
  else if (change.from === 'bad_credentials') await resync(tx, queue, { connectionId: change.connectionId })
}

async function resync(tx: ProjectDb, queue: Services['queue'], of: ResyncScope): Promise<void> {
  await queue.enqueue(tx, resyncInstallations, { projectId: tx.projectId, ...of }, of.integrationId ?? of.connectionId)
}
