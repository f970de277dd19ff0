import type { LifecycleKind } from '@mortise/providers'
import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { findInstallation } from '../../integrations/installations/index.ts'
import { setUpSubscription } from './job-references.ts'
import { readMissed } from './read-missed.ts'
import { demandRenewal } from './store.ts'

/**
 * Follows verified notifications about a registration: renews it, registers it again, or reads what was not reported.
 * Repeating it is safe.
 */
export async function followLifecycle(
  { database, queue, work }: { database: Database; queue: JobQueue; work: Work },
  of: { projectId: string; installationId: string; registrationId: string | undefined; objectName: string | undefined },
  kinds: ReadonlySet<LifecycleKind>,
): Promise<void> {
  const { projectId, installationId, registrationId, objectName } = of
  await database.forProject(projectId).transaction(async (tx) => {
    const installation = await findInstallation(tx, installationId)
    if (!installation) return
    const isLost = kinds.has('lost')
    if (isLost || kinds.has('missed')) await readMissed(tx, { work }, installation, objectName)
    if (!isLost && !kinds.has('renew')) return
    // A lost one is renewed, too: the provider says whether it really does not exist any more.
    await demandRenewal(tx, work.now(), { installationId, registrationId })
    await queue.enqueueAll(tx, setUpSubscription, [{ data: { projectId, installationId }, key: installationId }])
  })
}
