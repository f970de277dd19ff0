import { job } from '../../../kernel/jobs/index.ts'
import type { Services } from '../../../services.ts'
import { listUnsubscribedIdsOf } from '../store.ts'
import { syncSubscription } from '../sync-subscription.ts'

/** After a deploy that changed nothing: subscribes the installations of an integration that should be and are not yet. */
export const beginSubscriptions = job({
  name: 'subscribing.begin',
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
    for (const id of await listUnsubscribedIdsOf(db, data.integrationId)) {
      signal.throwIfAborted()
      await db.transaction((tx) => syncSubscription(tx, services, id))
    }
  },
})
