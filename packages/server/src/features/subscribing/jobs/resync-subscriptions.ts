import { job } from '../../../kernel/jobs/index.ts'
import type { Services } from '../../../services.ts'
import { listInstallationIdsOf } from '../store.ts'
import { syncSubscription } from '../sync-subscription.ts'

/** After a deploy that changed what an integration subscribes to: looks at every installation of it. */
export const resyncSubscriptions = job({
  name: 'subscribing.resync',
  policy: 'one-per-key',
  concurrency: 2,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 100,
  retryDelaySeconds: 1,
  async run(
    { data, signal }: { data: { projectId: string; integrationId: string }; signal: AbortSignal },
    services: Pick<Services, 'database' | 'queue' | 'catalogue' | 'now'>,
  ) {
    const db = services.database.forProject(data.projectId)
    for (const id of await listInstallationIdsOf(db, data.integrationId)) {
      signal.throwIfAborted()
      await db.transaction((tx) => syncSubscription(tx, services, id))
    }
  },
})
