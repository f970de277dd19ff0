import { job } from '../../../../kernel/jobs/index.ts'
import { effectiveReadObjects, findInstallation } from '../../../integrations/installations/index.ts'
import { postMessages } from '../../../messaging/messages/index.ts'
import { releasePages } from '../job-references.ts'
import { addToWanted, deletePageRequest, lockWanted, takeBufferedPages } from '../on-request/buffered-page-store.ts'
import type { ReadServices } from '../read-services.ts'

/** A page is 300 KB at most, and a record that is larger has one of its own. */
const pagesPerTransaction = 20

/**
 * Posts held pages of one object, oldest first, as long as some are wanted and there. All of them are, once the object
 * is delivered by itself or no longer read: what was read is not lost.
 *
 * Whoever brings or asks for pages does so under the lock that this takes first, and enqueues it in the same
 * transaction: either this sees what they did, or it runs again.
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
        const held = effective?.delivery.mode === 'onRequest'
        const limit = held ? Math.min(wanted, pagesPerTransaction) : pagesPerTransaction
        if (limit === 0) return false
        const pages = await takeBufferedPages(tx, object, limit)
        if (held && pages.length > 0) await addToWanted(tx, object, -pages.length)
        if (!held && pages.length < limit) await deletePageRequest(tx, object)
        const messages = pages.map(({ operationId, destinationName, payload, result }) => ({
          kind: 'read' as const,
          installationId: object.installationId,
          operationId,
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
