import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { type JobQueue, job } from '../../../../kernel/jobs/index.ts'
import type { ConnectionHooks } from '../../../accounts/connections/index.ts'
import type { ReadHooks } from '../hooks.ts'
import type { ResyncScope } from '../job-references.ts'
import { resyncInstallations } from '../job-references.ts'
import { listInstallationIds } from '../pause-store.ts'
import { syncInstallation } from '../sync.ts'

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
    services: {
      database: Database
      queue: JobQueue
      newId: NewId
      now: () => Date
      hooks: ReadHooks & ConnectionHooks
    },
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
