import type { NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { releasePages, releasePagesKey } from '../job-references.ts'
import { addToWanted, type BufferedObject, type BufferedPage, insertBufferedPages } from './buffered-page-store.ts'

/** PostgreSQL takes 65,535 parameters in one statement, and a page has eight. */
const pagesPerStatement = 5_000

/**
 * Buffers pages until the consumer requests them, in the caller's transaction. Enqueues the job `release-pages` with
 * them, which posts the pages that are already requested or no longer need a buffer.
 */
export async function bufferPages(
  tx: ProjectDb,
  { queue, newId }: { queue: JobQueue; newId: NewId },
  object: BufferedObject,
  pages: readonly Omit<BufferedPage, 'id'>[],
): Promise<void> {
  for (let from = 0; from < pages.length; from += pagesPerStatement) {
    const some = pages.slice(from, from + pagesPerStatement)
    await insertBufferedPages(
      tx,
      object,
      some.map((page) => ({ id: newId(), ...page })),
    )
  }
  await addToWanted(tx, object, 0)
  const data = { projectId: tx.projectId, installationId: object.installationId, objectName: object.objectName }
  await queue.enqueue(tx, releasePages, data, releasePagesKey(data))
}
