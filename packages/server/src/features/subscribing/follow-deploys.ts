import type { ProjectDb } from '../../kernel/db/index.ts'
import type { Hooks, Services } from '../../services.ts'
import { resyncSubscriptions } from './jobs/resync-subscriptions.ts'

/** What follows from a deploy is a job, so that it does not grow with the number of installations. */
export async function syncSubscriptionsAfterDeploy(
  tx: ProjectDb,
  { queue }: Pick<Services, 'queue'>,
  changes: Parameters<Hooks['integrationsDeployed']>[1],
): Promise<void> {
  const changed = changes.filter(
    ({ before, after }) => before !== undefined && JSON.stringify(before.subscribe) !== JSON.stringify(after.subscribe),
  )
  const items = changed.map(({ integrationId }) => ({
    data: { projectId: tx.projectId, integrationId },
    key: integrationId,
  }))
  await queue.enqueueAll(tx, resyncSubscriptions, items)
}
