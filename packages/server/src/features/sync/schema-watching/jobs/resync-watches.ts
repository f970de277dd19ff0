import type { Database } from '../../../../kernel/db/index.ts'
import { job } from '../../../../kernel/jobs/index.ts'
import type { Work } from '../../../../kernel/work/index.ts'
import { listInstallationIds } from '../../reading/index.ts'
import { resyncWatches } from '../job-references.ts'
import { syncSchemaWatch } from '../sync.ts'

const batch = 50

/** After a deploy: brings the watches of every installation of an integration in line with its manifest. */
export const resyncWatchesHandler = job(resyncWatches, {
  policy: 'one-per-key',
  concurrency: 1,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 100,
  retryDelaySeconds: 1,
  async run(
    { data, signal }: { data: { projectId: string; integrationId: string }; signal: AbortSignal },
    services: { database: Database; now: () => Date; work: Work },
  ) {
    const db = services.database.forProject(data.projectId)
    let after: string | undefined
    for (;;) {
      const ids = await listInstallationIds(db, data, after, batch)
      for (const id of ids) {
        signal.throwIfAborted()
        await db.transaction((tx) => syncSchemaWatch(tx, services, id))
      }
      after = ids.at(-1)
      if (ids.length < batch) return
    }
  },
})
