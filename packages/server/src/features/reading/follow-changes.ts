import { diffContent, type IntegrationContent } from '@mortise/manifest'
import type { ProjectDb } from '../../kernel/db/index.ts'
import type { ConnectionStatus, Services } from '../../services.ts'
import { resyncIntegration } from './jobs/resync-integration.ts'
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
  await queue.enqueue(
    tx,
    resyncIntegration,
    { projectId: tx.projectId, integrationId: change.integrationId },
    change.integrationId,
  )
}

/** A connection whose credentials are refused is not asked again on a schedule; when they work again, reading goes on. */
export async function pauseForCredentials(
  tx: ProjectDb,
  change: { connectionId: string; from: ConnectionStatus; to: ConnectionStatus },
): Promise<void> {
  if (change.to === 'bad_credentials') await pauseObjectsOfConnection(tx, change.connectionId, true)
  else if (change.from === 'bad_credentials') await pauseObjectsOfConnection(tx, change.connectionId, false)
}
