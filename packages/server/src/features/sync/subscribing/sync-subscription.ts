import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Hooks, Services } from '../../../services.ts'
import { findInstallation } from '../../integrations/installations/index.ts'
import { effectiveSubscribeObjects } from './effective-subscribe.ts'
import { setUpSubscription } from './jobs/set-up-subscription.ts'
import { findSubscription, upsertSubscription, wakeFailedOf } from './store.ts'

type SyncServices = Pick<Services, 'queue' | 'catalogue' | 'now'>

/**
 * An installation was made or changed: where it subscribes, or did, a job brings the provider in line. Runs inside the
 * transaction of the change; where the provider's file declares no webhooks it costs nothing more than a look at it.
 */
export async function syncSubscription(tx: ProjectDb, services: SyncServices, installationId: string): Promise<void> {
  const installation = await findInstallation(tx, installationId)
  if (!installation) return
  if (services.catalogue.find(installation.provider)?.implemented.subscribe !== true) return
  const isWanted = effectiveSubscribeObjects(installation).size > 0
  if (!isWanted && !(await findSubscription(tx, installationId))) return
  const { integrationId } = installation
  // Due again by itself should the job never end.
  const nextTime = new Date(services.now().getTime() + 60_000)
  await upsertSubscription(tx, { installationId, integrationId, nextTime })
  await enqueueSetUp(tx, services, [installationId])
}

/** A connection works again: what could not be set up with it is tried again. */
export async function retrySubscriptionsOf(
  tx: ProjectDb,
  services: Pick<Services, 'queue' | 'now'>,
  { connectionId, to }: Parameters<Hooks['connectionStatusChanged']>[1],
): Promise<void> {
  if (to !== 'working') return
  await enqueueSetUp(tx, services, await wakeFailedOf(tx, connectionId, services.now()))
}

async function enqueueSetUp(
  tx: ProjectDb,
  { queue }: Pick<Services, 'queue'>,
  installationIds: string[],
): Promise<void> {
  const items = installationIds.map((installationId) => ({
    data: { projectId: tx.projectId, installationId },
    key: installationId,
  }))
  await queue.enqueueAll(tx, setUpSubscription, items)
}
