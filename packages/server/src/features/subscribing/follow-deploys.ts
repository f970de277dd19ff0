import type { ProjectDb } from '../../kernel/db/index.ts'
import type { Hooks, Services } from '../../services.ts'
import { beginSubscriptions } from './jobs/begin-subscriptions.ts'
import { resyncSubscriptions } from './jobs/resync-subscriptions.ts'

/**
 * What follows from a deploy is a job, so that it does not grow with the number of installations. Of an integration that is deployed as it
 * was, installations may be older than what can be subscribed to: their provider's file, or the release, did not know how.
 */
export async function syncSubscriptionsAfterDeploy(
  tx: ProjectDb,
  { queue, catalogue }: Pick<Services, 'queue' | 'catalogue'>,
  changes: Parameters<Hooks['integrationsDeployed']>[1],
  { unchanged }: Pick<Parameters<Hooks['integrationsDeployed']>[2], 'unchanged'>,
): Promise<void> {
  const changed = changes.filter(
    ({ before, after }) => before !== undefined && JSON.stringify(before.subscribe) !== JSON.stringify(after.subscribe),
  )
  const items = (integrations: { integrationId: string }[]) =>
    integrations.map(({ integrationId }) => ({ data: { projectId: tx.projectId, integrationId }, key: integrationId }))
  await queue.enqueueAll(tx, resyncSubscriptions, items(changed))
  const subscribing = unchanged.filter(
    ({ content }) => content.subscribe && catalogue.find(content.provider)?.implemented.subscribe === true,
  )
  await queue.enqueueAll(tx, beginSubscriptions, items(subscribing))
}
