import { createConnector, openSubscriber, webhooksOf } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { keepLeases, type Lease, LeaseLost } from '../../../kernel/work/index.ts'
import { findConnection, openDetached } from '../../accounts/connections/index.ts'
import { classifyFailure, openProviderAccess } from '../../provider-calls/calls/index.ts'
import type { SubscribeServices } from './subscribe-services.ts'
import { encryptTeardown, openTeardown, type Teardown } from './teardown.ts'
import { claimTeardown, type TeardownRow, updateTeardown } from './teardown-store.ts'

const attemptsMax = 8
/** About two days in total. */
const backoff = { firstMs: 60_000, factor: 3, maxMs: 48 * 3_600_000 }

/** Ends registrations and jobs at the provider. Gives up on those that it refuses permanently. */
export async function tearDown(
  db: ProjectDb,
  services: SubscribeServices,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const lease = await claimTeardown(db, services.work, id)
  if (!lease) return
  try {
    await keepLeases(db, [lease], signal, (signal) => endRegistrations(db, services, lease, signal))
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  }
}

async function endRegistrations(
  db: ProjectDb,
  services: SubscribeServices,
  lease: Lease<TeardownRow>,
  signal: AbortSignal,
): Promise<void> {
  const { id, provider, attempts } = lease.row
  const teardown = openTeardown(services, db.projectId, lease.row)
  try {
    const { entry, context, http } = await openAccess(db, services, id, teardown)
    if (webhooksOf(entry, context.module)?.registration) {
      const subscriber = openSubscriber(entry, context, http)
      for (const registration of teardown.registrations) await subscriber.unregister({ ...registration, signal })
    }
    if (teardown.jobs) {
      const connector = createConnector(entry, context, http)
      for (const { objectName, id } of teardown.jobs) await connector.abortJob(objectName, id, { signal })
    }
  } catch (error) {
    signal.throwIfAborted()
    const failure = classifyFailure(error)
    if (failure.scope === 'service') throw error
    if (failure.subscribe === 'retry' && attempts < attemptsMax) return lease.postponeBy(db, backoff)
    services.log.warn(
      { projectId: db.projectId, provider, err: error },
      'failed to end what an installation left at the provider',
    )
  }
  await lease.finish(db)
}

/** Opens access with the connection where other installations still use it, otherwise with its detached copy. */
async function openAccess(db: ProjectDb, services: SubscribeServices, id: string, teardown: Teardown) {
  const { connection, module } = teardown
  if (await findConnection(db, connection.id))
    return openProviderAccess(db, services, connection.id, { module, isBackground: true })
  const { context, ...access } = openDetached(db, services, connection, (credential) =>
    updateTeardown(
      db,
      id,
      encryptTeardown(services, db.projectId, id, { ...teardown, connection: { ...connection, credential } }),
    ),
  )
  return { ...access, context: { ...context, ...(module !== undefined && { module }) } }
}
