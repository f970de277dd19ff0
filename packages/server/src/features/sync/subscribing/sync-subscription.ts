import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import { findInstallation } from '../../integrations/installations/index.ts'
import { effectiveSubscribeObjects } from './effective-subscribe.ts'
import { setUpSubscription } from './job-references.ts'
import { hasSubscription, upsertSubscription, wakeFailedOf } from './store.ts'

type SyncServices = { queue: JobQueue; catalogue: Catalogue; work: Work }

/**
 * Handles a new or changed installation: where it subscribes, or did, a job syncs the registrations at the provider.
 * Runs inside the transaction of the change. Where the provider's file declares no webhooks, it costs only a lookup in
 * memory.
 */
export async function syncSubscription(tx: ProjectDb, services: SyncServices, installationId: string): Promise<void> {
  const installation = await findInstallation(tx, installationId)
  if (!installation) return
  if (services.catalogue.find(installation.provider)?.implemented.subscribe !== true) return
  const isWanted = effectiveSubscribeObjects(installation).size > 0
  if (!isWanted && !(await hasSubscription(tx, installationId))) return
  const { integrationId } = installation
  await upsertSubscription(tx, { installationId, integrationId, due: services.work.now() })
  await enqueueSetUp(tx, services, [installationId])
}

/** Handles a connection that works again: retries the subscriptions that it could not set up. */
export async function retrySubscriptionsOf(
  tx: ProjectDb,
  services: { queue: JobQueue; work: Work },
  { connectionId, to }: Parameters<ConnectionHooks['connectionStatusChanged']>[1],
): Promise<void> {
  if (to !== 'working') return
  await enqueueSetUp(tx, services, await wakeFailedOf(tx, connectionId, services.work.now()))
}

async function enqueueSetUp(tx: ProjectDb, { queue }: { queue: JobQueue }, installationIds: string[]): Promise<void> {
  const items = installationIds.map((installationId) => ({
    data: { projectId: tx.projectId, installationId },
    key: installationId,
  }))
  await queue.enqueueAll(tx, setUpSubscription, items)
}
