import { openSubscriber } from '@mortise/providers'
import { backoffMs } from '../../../kernel/backoff.ts'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Services } from '../../../services.ts'
import { findConnection, openDeparted, openProviderAccess } from '../../accounts/connections/index.ts'
import { failureOf } from './set-up.ts'
import { openTeardown, sealTeardown, type Teardown } from './teardown.ts'
import { deleteTeardown, findTeardown, postponeTeardown, updateTeardown } from './teardown-store.ts'

const attemptsMax = 8
/** About two days in all. */
const backoff = { firstMs: 60_000, factor: 3, maxMs: 48 * 3_600_000 }

/** Ends registrations at the provider; what it refuses for good is given up. */
export async function tearDown(db: ProjectDb, services: Services, id: string, signal: AbortSignal): Promise<void> {
  const row = await findTeardown(db, id)
  if (!row) return
  const teardown = openTeardown(services, db.projectId, row)
  try {
    const { entry, context, http } = await openAccess(db, services, id, teardown)
    if (entry.file?.webhooks?.registration) {
      const subscriber = openSubscriber(entry, context, http)
      for (const registration of teardown.registrations) await subscriber.unregister({ ...registration, signal })
    }
    await deleteTeardown(db, id)
  } catch (error) {
    signal.throwIfAborted()
    const failure = failureOf(error)
    if (failure === undefined) throw error
    if (failure.isPassing && row.attempts < attemptsMax) {
      await postponeTeardown(
        db,
        id,
        new Date(services.now().getTime() + backoffMs(backoff, row.attempts, Math.random())),
      )
      return
    }
    services.log.warn({ projectId: db.projectId, provider: row.provider, err: error }, 'failed to end a registration')
    await deleteTeardown(db, id)
  }
}

/** As the connection, where other installations still use it; otherwise as what was taken along of it. */
async function openAccess(db: ProjectDb, services: Services, id: string, teardown: Teardown) {
  const { connection, module } = teardown
  if (await findConnection(db, connection.id))
    return openProviderAccess(db, services, connection.id, { module, isPatient: true })
  const { context, ...access } = openDeparted(db, services, connection, (credential) =>
    updateTeardown(
      db,
      id,
      sealTeardown(services, db.projectId, id, { ...teardown, connection: { ...connection, credential } }),
    ),
  )
  return { ...access, context: { ...context, ...(module !== undefined && { module }) } }
}
