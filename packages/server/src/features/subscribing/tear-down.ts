import { openSubscriber } from '@mortise/providers'
import type { ProjectDb } from '../../kernel/db/index.ts'
import type { Services } from '../../services.ts'
import { createProviderHttp, providerPace } from '../connections/index.ts'
import { failureOf } from './set-up.ts'
import { openTeardown } from './teardown.ts'
import { deleteTeardown, findTeardown, postponeTeardown } from './teardown-store.ts'

const attemptsMax = 8
/** About a day in all. */
const backOffMs = (attempts: number) => 60_000 * 3 ** attempts

/** Ends registrations at the provider; what it refuses for good is given up. */
export async function tearDown(db: ProjectDb, services: Services, id: string, signal: AbortSignal): Promise<void> {
  const row = await findTeardown(db, id)
  if (!row) return
  const { attachment, context, registrations } = openTeardown(services, db.projectId, row)
  const entry = services.catalogue.find(row.provider)
  try {
    if (entry?.file?.webhooks?.registration) {
      const credential = {
        authenticate: async () => ({ ...attachment, generation: 0 }),
        refused: async () => false,
      }
      // Its connection is gone, and so is what else was sent for it.
      const pace = () => providerPace(services, { projectId: db.projectId, connectionId: id, entry })
      const http = createProviderHttp({ ...services, pace, isPatient: true })
      const subscriber = openSubscriber(entry, { ...context, credential }, http)
      for (const registration of registrations) await subscriber.unregister({ ...registration, signal })
    }
    await deleteTeardown(db, id)
  } catch (error) {
    signal.throwIfAborted()
    const failure = failureOf(error)
    if (failure === undefined) throw error
    if (failure.isPassing && row.attempts < attemptsMax) {
      await postponeTeardown(db, id, new Date(services.now().getTime() + backOffMs(row.attempts)))
      return
    }
    services.log.warn({ projectId: db.projectId, provider: row.provider, err: error }, 'a registration was not ended')
    await deleteTeardown(db, id)
  }
}
