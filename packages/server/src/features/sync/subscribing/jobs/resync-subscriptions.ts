import { job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { listInstallationIdsOf, listUnsubscribedIdsOf } from '../store.ts'
import { syncSubscription } from '../sync-subscription.ts'

/** Which installations: all, or only those that should have a subscription and have none yet. */
interface Resync {
  projectId: string
  integrationId: string
  onlyUnsubscribed?: true
}

/**
 * After a deploy that changed what an integration subscribes to: looks at every installation of it. After one that
 * changed nothing: at those without a subscription.
 */
export const resyncSubscriptions = job({
  name: 'subscribing.resync',
  policy: 'one-per-key',
  concurrency: 2,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 100,
  retryDelaySeconds: 1,
  async run(
    { data, signal }: { data: Resync; signal: AbortSignal },
    services: Pick<Services, 'database' | 'queue' | 'catalogue' | 'now'>,
  ) {
    const db = services.database.forProject(data.projectId)
    const list = data.onlyUnsubscribed ? listUnsubscribedIdsOf : listInstallationIdsOf
    for (const id of await list(db, data.integrationId)) {
      signal.throwIfAborted()
      await db.transaction((tx) => syncSubscription(tx, services, id))
    }
  },
})
