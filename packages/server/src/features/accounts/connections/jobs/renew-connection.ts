import { job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { keepAlive } from '../live/keep-alive.ts'

/**
 * Renews the tokens of a connection that nobody has used for a while. Running twice renews once: the second run finds
 * it planned for later. What a failure means is kept with the credential, which is due again then.
 */
export const renewConnectionJob = job({
  name: 'connections.renew',
  policy: 'one-per-key',
  concurrency: 5,
  expireInSeconds: 60,
  retryLimit: 2,
  retryDelaySeconds: 30,
  run: async (
    { data }: { data: { projectId: string; connectionId: string } },
    services: Pick<Services, 'database' | 'keyring' | 'catalogue' | 'liveConnections' | 'now'>,
  ) => keepAlive(services.database.forProject(data.projectId), services, data.connectionId),
})
