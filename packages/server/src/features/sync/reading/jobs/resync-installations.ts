import { job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { listInstallationIds } from '../pause-store.ts'
import { syncInstallation } from '../sync.ts'

const batch = 50

/** Whose installations: those of an integration, or those of a connection. */
export type ResyncScope =
  | { integrationId: string; connectionId?: never }
  | { connectionId: string; integrationId?: never }

/** After a deploy, or when a connection works again: brings every installation in line with what holds now. */
export const resyncInstallations = job({
  name: 'reading.resync',
  policy: 'one-per-key',
  concurrency: 2,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 100,
  retryDelaySeconds: 1,
  async run(
    { data, signal }: { data: { projectId: string } & ResyncScope; signal: AbortSignal },
    services: Pick<Services, 'database' | 'queue' | 'newId' | 'now' | 'hooks'>,
  ) {
    const db = services.database.forProject(data.projectId)
    let after: string | undefined
    for (;;) {
      const ids = await listInstallationIds(db, data, after, batch)
      for (const id of ids) {
        signal.throwIfAborted()
        await db.transaction((tx) => syncInstallation(tx, services, id))
      }
      after = ids.at(-1)
      if (ids.length < batch) return
    }
  },
})
