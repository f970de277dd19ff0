import { endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { InstallationNotFound } from '../../../integrations/installations/index.ts'
import { findBackfill } from '../backfill-store.ts'
import { installationObject } from '../installation-object.ts'
import { BackfillProgress } from '../model.ts'
import { NoBackfill } from '../problems.ts'

export const getBackfillProgress = endpoint({
  id: 'getBackfillProgress',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/objects/{objectName}/backfill-progress',
  access: 'view',
  summary: 'Get the progress of the newest backfill of an object.',
  tag: 'Operations',
  params: Path({ projectIdOrName: Ref, integrationId: Ref, installationId: Ref, objectName: Ref }),
  reply: { 200: BackfillProgress },
  problems: [InstallationNotFound, NoBackfill],
  run: async ({ db, params }) => {
    const { installation, names } = await installationObject(db, params)
    const objectName = names.get(params.objectName) ?? params.objectName
    const backfill = await findBackfill(db, installation.id, objectName)
    if (!backfill) throw new NoBackfill()
    return reply(200, {
      installationId: installation.id,
      objectName,
      operationId: backfill.operationId,
      recordsProcessed: backfill.recordsProcessed,
      ...(backfill.recordsEstimated !== undefined && { recordsEstimatedTotal: backfill.recordsEstimated }),
      createTime: backfill.createTime,
      ...(backfill.updateTime && { updateTime: backfill.updateTime }),
    })
  },
})
