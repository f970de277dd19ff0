import { job } from '../../../../kernel/jobs/index.ts'
import { effectiveReadObjects, findInstallation } from '../../../integrations/installations/index.ts'
import { postMessages } from '../../../messaging/messages/index.ts'
import { releasePages } from '../job-references.ts'
import { addToWanted, deletePageRequest, lockWanted, takeBufferedPages } from '../on-request/buffered-page-store.ts'
import type { ReadServices } from '../read-services.ts'

/** Bounds a transaction: a page has 300 KB at most, and a larger record gets its own page. */
const pagesPerTransaction = 20

/**
 * Posts buffered pages of one object, oldest first, while some are both requested and available. Posts all of them once
 * the object is no longer delivered on request or no longer read, so that no record is lost.
 *
 * Callers that add or request pages take the same lock first (`addToWanted`) and enqueue this job in the same
 * transaction. So either this run sees their change, or the job runs again.
 */
export const releasePagesHandler = job(releasePages, {
  policy: 'one-per-key',
  concurrency: 4,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 100,
  retryDelaySeconds: 1,
  async run({ data: { projectId, ...object }, signal }, services: ReadServices) {
    const db = services.database.forProject(projectId)
    for (let more = true; more; ) {
      signal.throwIfAborted()
      more = await db.transaction(async (tx) => {
        const wanted = await lockWanted(tx, object)
        if (wanted === undefined) return false
        const installation = await findInstallation(tx, object.installationId)
        const effective = installation && effectiveReadObjects(installation).get(object.objectName)
        const isOnRequest = effective?.delivery.mode === 'onRequest'
        const limit = isOnRequest ? Math.min(wanted, pagesPerTransaction) : pagesPerTransaction
        if (limit === 0) return false
        const pages = await takeBufferedPages(tx, object, limit)
        if (isOnRequest && pages.length > 0) await addToWanted(tx, object, -pages.length)
        if (!isOnRequest && pages.length < limit) await deletePageRequest(tx, object)
        const messages = pages.map(({ operationId, destinationName, payload, result }) => ({
          kind: 'read' as const,
          installationId: object.installationId,
          operationId,
          objectName: object.objectName,
          destinationName,
          payload,
          ...(result && { result }),
        }))
        if (messages.length > 0) await postMessages(tx, services, messages)
        return pages.length === limit
      })
    }
  },
})
