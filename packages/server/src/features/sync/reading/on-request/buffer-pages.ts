import type { NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { releasePages, releasePagesKey } from '../job-references.ts'
import { addToWanted, type BufferedObject, type BufferedPage, insertBufferedPages } from './buffered-page-store.ts'

/** PostgreSQL takes 65,535 parameters in one statement, and a page has eight. */
const pagesPerStatement = 5_000

/**
 * Keeps pages until they are asked for, in the caller's transaction. Whether some of them are wanted already, or are no
 * longer to be held, is for the job that commits with them.
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
