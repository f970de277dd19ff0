import type { Config } from '../../../../config.ts'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { findInstallation } from '../../../integrations/installations/index.ts'
import { recordOperations } from '../../../platform/operations/index.ts'
import { deletePagesBufferedBefore, listObjectsBufferedBefore, lockWanted } from './buffered-page-store.ts'

const pagesAtOnce = 1_000
const dayMs = 86_400_000

type DropServices = { config: Config; database: Database; newId: NewId; now: () => Date }

/**
 * Drops pages that nobody requested in time. Their records are lost, so a failed operation in the log of the
 * installation says so (decision 0036). Returns whether there may be more.
 */
export async function dropBufferedPages({ config, database, newId, now }: DropServices): Promise<boolean> {
  const before = new Date(now().getTime() - config.bufferedPagesDays * dayMs)
  const objects = await listObjectsBufferedBefore(database.system, before, pagesAtOnce)
  for (const { projectId, ...object } of objects)
    await database.forProject(projectId).transaction(async (tx) => {
      // Adding and releasing pages takes the same lock.
      await lockWanted(tx, object)
      const pages = await deletePagesBufferedBefore(tx, object, before, pagesAtOnce)
      const installation = pages > 0 ? await findInstallation(tx, object.installationId) : undefined
      if (!installation) return
      const what = `${pages === 1 ? '1 page was' : `${pages} pages were`} dropped`
      const msg = `${what}: ${pages === 1 ? 'it was' : 'they were'} not requested within ${config.bufferedPagesDays} days.`
      await recordOperations(tx, { newId }, [
        {
          id: newId(),
          integrationId: installation.integrationId,
          installationId: installation.id,
          configId: installation.configId,
          actionType: 'read',
          resource: object.objectName,
          status: 'failure',
          result: `[${object.objectName}] ${msg}`,
          begun: now(),
          ended: now(),
          line: { severity: 'ERROR', msg, details: { pages: `${pages}` } },
        },
      ])
    })
  return objects.length > 0
}
