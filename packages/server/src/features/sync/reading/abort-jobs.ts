import { type Catalogue, jobToAbort } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import { abortProviderJob } from './job-references.ts'
import type { DeletedRun } from './run-store.ts'

/** Ends the jobs of the provider that deleted runs were reading. */
export async function abortJobsOf(
  tx: ProjectDb,
  { queue, catalogue }: { queue: JobQueue; catalogue: Catalogue },
  { provider, connectionId, module }: InstallationRecord,
  runs: DeletedRun[],
): Promise<void> {
  const entry = catalogue.find(provider)
  const jobs = runs.flatMap(({ objectName, page }) => {
    const id = entry && page !== undefined && jobToAbort(entry, module, objectName, page)
    if (!id) return []
    const data = { projectId: tx.projectId, connectionId, ...(module !== undefined && { module }), objectName, id }
    return [{ data, key: id }]
  })
  await queue.enqueueAll(tx, abortProviderJob, jobs)
}
