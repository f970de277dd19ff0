import { diffContent } from '@mortise/manifest'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import type { IntegrationChange, IntegrationHooks } from '../../integrations/integrations/index.ts'
import type { ConnectionStatus } from '../../provider-calls/calls/index.ts'
import type { ReadHooks } from './hooks.ts'
import { type ResyncScope, resyncInstallations } from './job-references.ts'
import { pauseObjectsLeftOut, pauseObjectsOfConnection } from './pause-store.ts'

/** Applies changes of other features to reading. Each function runs inside the transaction of the change. */

/**
 * Applies a deploy. A destructive deploy pauses the objects that its manifest does not read, in all installations and
 * immediately. An earlier deploy may have removed them and kept their reads, so unchanged integrations count too. The
 * schedules of the installations are updated by one job per integration, so that the cost of a deploy does not grow
 * with their number.
 */
export async function syncAfterDeploy(
  tx: ProjectDb,
  { queue, hooks }: { queue: JobQueue; hooks: ReadHooks & ConnectionHooks },
  changes: IntegrationChange[],
  { destructive, unchanged }: Parameters<IntegrationHooks['integrationsDeployed']>[2],
): Promise<void> {
  const known = changes.flatMap(({ before, ...change }) => (before === undefined ? [] : [{ ...change, before }]))
  const touched = new Set<string>()
  for (const { integrationId, before, after } of known) {
    const { added, changed, removed } = diffContent(before, after).read
    if (added.length + changed.length + removed.length > 0) touched.add(integrationId)
  }
  if (destructive) {
    const deployed = [
      ...known.map(({ integrationId, after }) => ({ integrationId, content: after })),
      ...unchanged,
    ].map(({ integrationId, content }) => ({
      integrationId,
      objectNames: (content.read?.objects ?? []).map(({ objectName }) => objectName),
    }))
    const paused = await pauseObjectsLeftOut(tx, deployed)
    for (const { integrationId } of paused) touched.add(integrationId)
    if (paused.length > 0)
      await hooks.readsPaused(
        tx,
        paused.map(({ installationId, objectNames }) => ({ installationId, objectNames, reason: 'removed' })),
      )
  }
  await resync(
    tx,
    queue,
    [...touched].map((integrationId) => ({ integrationId })),
  )
}

/**
 * Pauses the schedules of a connection whose credentials the provider refuses. When the credentials work again, its
 * installations are synced: their pauses end, and backfills that gave up start again.
 */
export async function pauseForCredentials(
  tx: ProjectDb,
  { queue, hooks }: { queue: JobQueue; hooks: ReadHooks & ConnectionHooks },
  change: { connectionId: string; from: ConnectionStatus; to: ConnectionStatus; error?: string },
): Promise<void> {
  if (change.to === 'bad_credentials') {
    const paused = await pauseObjectsOfConnection(tx, change.connectionId)
    const error = change.error ?? 'The provider refused the credential.'
    if (paused.length > 0)
      await hooks.readsPaused(
        tx,
        paused.map((objects) => ({ ...objects, reason: 'credentials', error })),
      )
  } else if (change.from === 'bad_credentials') await resync(tx, queue, [{ connectionId: change.connectionId }])
}

async function resync(tx: ProjectDb, queue: JobQueue, scopes: ResyncScope[]): Promise<void> {
  const jobs = scopes.map(({ integrationId, connectionId }) => ({
    data: { projectId: tx.projectId, ...(integrationId === undefined ? { connectionId } : { integrationId }) },
    key: integrationId ?? connectionId,
  }))
  await queue.enqueueToApply(tx, resyncInstallations, jobs)
}
