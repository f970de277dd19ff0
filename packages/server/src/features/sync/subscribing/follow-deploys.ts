import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { IntegrationHooks } from '../../integrations/integrations/index.ts'
import { resyncSubscriptions } from './job-references.ts'

/**
 * Applies a deploy in a job, so that its cost does not grow with the number of installations. An integration that was
 * deployed unchanged may have installations without a subscription: earlier, the provider's file or the release did not
 * support it, or the provider refused.
 */
export async function syncSubscriptionsAfterDeploy(
  tx: ProjectDb,
  { queue, catalogue }: { queue: JobQueue; catalogue: Catalogue },
  changes: Parameters<IntegrationHooks['integrationsDeployed']>[1],
  { unchanged }: Pick<Parameters<IntegrationHooks['integrationsDeployed']>[2], 'unchanged'>,
): Promise<void> {
  const changed = changes.filter(
    ({ before, after }) => before !== undefined && JSON.stringify(before.subscribe) !== JSON.stringify(after.subscribe),
  )
  const subscribing = unchanged.filter(
    ({ content }) => content.subscribe && catalogue.find(content.provider)?.implemented.subscribe === true,
  )
  const { projectId } = tx
  await queue.enqueueToApply(tx, resyncSubscriptions, [
    ...changed.map(({ integrationId }) => ({ data: { projectId, integrationId }, key: integrationId })),
    // A separate key: a waiting job for the unsubscribed ones must not replace a job for all.
    ...subscribing.map(({ integrationId }) => ({
      data: { projectId, integrationId, onlyUnsubscribed: true as const },
      key: `${integrationId} unsubscribed`,
    })),
  ])
}
