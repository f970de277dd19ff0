import { Empty, endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { InstallationNotFound, lockInstallation } from '../../../integrations/installations/index.ts'
import { installationObject } from '../installation-object.ts'
import { PauseRequest } from '../model.ts'
import { namedObjects } from '../named-objects.ts'
import { unpauseObjects } from '../state-store.ts'
import { type SyncServices, syncInstallation } from '../sync.ts'

export const unpauseReads = endpoint({
  id: 'unpauseReads',
  method: 'POST',
  path: '//read/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}:unpause',
  access: 'frontendOperate',
  session: 'manage',
  summary: 'Resume scheduled reads that were paused, by a request or by failures.',
  description:
    'What was changed in the meantime is read by the next scheduled read, and a backfill that was given up begins again. An object that its config disables stays paused.',
  tag: 'Read',
  audit: { verb: 'unpause', resource: 'installation' },
  params: Path({ projectIdOrName: Ref, integrationId: Ref, installationId: Ref }),
  body: PauseRequest,
  bodyOptional: true,
  reply: { 204: Empty },
  problems: [InstallationNotFound],
  run: async ({ db, params, body, confinedTo }, services: SyncServices) => {
    const { installation, names } = await installationObject(db, params, confinedTo)
    const objects = namedObjects(body, names)
    await db.transaction(async (tx) => {
      await lockInstallation(tx, installation.id)
      const objectNames = await unpauseObjects(tx, installation.id, objects)
      if (objectNames.length > 0)
        await services.hooks.readsResumed(tx, { installationId: installation.id, objectNames })
      await syncInstallation(tx, services, installation.id)
    })
    return reply(204, null)
  },
})
