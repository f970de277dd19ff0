import type { Database } from '../../../../kernel/db/index.ts'
import { job, Transient } from '../../../../kernel/jobs/index.ts'
import { verifyConnectionJob } from '../job-references.ts'
import { ConnectionNotFound } from '../problems.ts'
import { type VerifyServices, verifyConnection } from '../verify-connection.ts'

/** Checks a connection right after it got a credential. Retries a few times if the provider is unavailable. */
export const verifyConnectionHandler = job(verifyConnectionJob, {
  policy: 'one-per-key',
  // At most 240 a second: requests that create connections come first, and a check costs as much as one of them. Many
  // in each fetch, because that takes longer than ten checks.
  concurrency: 24,
  fetchEveryMs: 100,
  expireInSeconds: 60,
  retryLimit: 4,
  retryDelaySeconds: 5,
  run: async (
    { data, signal }: { data: { projectId: string; connectionId: string }; signal: AbortSignal },
    services: VerifyServices & { database: Database },
  ) => {
    const db = services.database.forProject(data.projectId)
    try {
      if (await verifyConnection(db, services, data.connectionId, signal)) return
    } catch (error) {
      if (error instanceof ConnectionNotFound) return
      throw error
    }
    throw new Transient('the provider did not say whether the credential is valid')
  },
})
