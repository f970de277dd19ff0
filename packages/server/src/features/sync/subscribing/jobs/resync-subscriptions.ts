import type { Catalogue } from '@mortise/providers'
import type { Database } from '../../../../kernel/db/index.ts'
import { type JobQueue, job } from '../../../../kernel/jobs/index.ts'
import type { Work } from '../../../../kernel/work/index.ts'
import type { ResyncSubscriptionsData } from '../job-references.ts'
import { resyncSubscriptions } from '../job-references.ts'
import { listInstallationIdsOf, listUnsubscribedOrFailedIdsOf } from '../store.ts'
import { syncSubscription } from '../sync-subscription.ts'

/**
 * After a deploy that changed what an integration subscribes to: looks at every installation of it. After one that
 * changed nothing: at those without a subscription, or with one that failed.
 */
export const resyncSubscriptionsHandler = job(resyncSubscriptions, {
  policy: 'one-per-key',
  concurrency: 2,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 100,
  retryDelaySeconds: 1,
  async run(
    { data, signal }: { data: ResyncSubscriptionsData; signal: AbortSignal },
    services: { database: Database; queue: JobQueue; catalogue: Catalogue; work: Work },
  ) {
    const db = services.database.forProject(data.projectId)
    const list = data.onlyUnsubscribed ? listUnsubscribedOrFailedIdsOf : listInstallationIdsOf
    for (const id of await list(db, data.integrationId)) {
      signal.throwIfAborted()
      await db.transaction((tx) => syncSubscription(tx, services, id))
    }
  },
})
