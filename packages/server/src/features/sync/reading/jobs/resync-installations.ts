import type { Database } from '../../../../kernel/db/index.ts'
import { job } from '../../../../kernel/jobs/index.ts'
import type { ResyncScope } from '../job-references.ts'
import { resyncInstallations } from '../job-references.ts'
import { listInstallationIds } from '../pause-store.ts'
import { type SyncServices, syncInstallation } from '../sync.ts'

const batch = 50

/** After a deploy, or when a connection works again: brings every installation in line with what holds now. */
export const resyncInstallationsHandler = job(resyncInstallations, {
  policy: 'one-per-key',
  concurrency: 2,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 100,
  retryDelaySeconds: 1,
  async run(
    { data, signal }: { data: { projectId: string } & ResyncScope; signal: AbortSignal },
    services: SyncServices & { database: Database },
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
