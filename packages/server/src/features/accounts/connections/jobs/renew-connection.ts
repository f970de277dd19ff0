import type { Catalogue } from '@mortise/providers'
import type { Database } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { job } from '../../../../kernel/jobs/index.ts'
import type { ConnectionHandles } from '../../../provider-calls/calls/index.ts'
import { keepAlive } from '../handles/keep-alive.ts'
import { renewConnectionJob } from '../job-references.ts'

/**
 * Renews the tokens of a connection that nobody has used for a while. Running twice renews once: the second run finds
 * it planned for later. What a failure means is kept with the credential, which is due again then.
 */
export const renewConnectionHandler = job(renewConnectionJob, {
  policy: 'one-per-key',
  concurrency: 5,
  expireInSeconds: 60,
  retryLimit: 2,
  retryDelaySeconds: 30,
  run: async (
    { data }: { data: { projectId: string; connectionId: string } },
    services: {
      database: Database
      keyring: Keyring
      catalogue: Catalogue
      connectionHandles: ConnectionHandles
      now: () => Date
    },
  ) => keepAlive(services.database.forProject(data.projectId), services, data.connectionId),
})
