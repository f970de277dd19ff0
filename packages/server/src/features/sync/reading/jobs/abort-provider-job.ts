import { job } from '../../../../kernel/jobs/index.ts'
import { classifyFailure, openConnector } from '../../../provider-calls/calls/index.ts'
import { abortProviderJob } from '../job-references.ts'
import type { ReadServices } from '../read-services.ts'

/**
 * Ends a job of the provider after the object it was reading for was removed from an installation. Gives up if the
 * provider refuses it, or if the connection is deleted: jobs end on their own.
 */
export const abortProviderJobHandler = job(abortProviderJob, {
  policy: 'one-per-key',
  concurrency: 2,
  expireInSeconds: 300,
  heartbeatSeconds: 10,
  retryLimit: 5,
  retryDelaySeconds: 30,
  async run({ data: { projectId, connectionId, module, objectName, id }, signal }, services: ReadServices) {
    try {
      const { connector } = await openConnector({ projectId }, services, connectionId, { module, isBackground: true })
      await connector.abortJob(objectName, id, { signal })
    } catch (error) {
      signal.throwIfAborted()
      const { read, scope } = classifyFailure(error)
      if (scope === 'service' || (scope === 'provider' && read !== 'fail')) throw error
      services.log.info({ projectId, objectName, err: error }, 'failed to abort a job of the provider')
    }
  },
})
