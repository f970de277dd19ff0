import { Empty, endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import type { ConnectionHooks } from '../../../accounts/connections/index.ts'
import { InstallationNotFound, lockInstallation } from '../../../integrations/installations/index.ts'
import type { ReadHooks } from '../hooks.ts'
import { installationObject } from '../installation-object.ts'
import { PauseRequest } from '../model.ts'
import { namedObjects } from '../named-objects.ts'
import { pauseObjects } from '../state-store.ts'

export const pauseReads = endpoint({
  id: 'pauseReads',
  method: 'POST',
  path: '//read/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}:pause',
  access: 'frontendOperate',
  session: 'manage',
  summary: 'Stop the scheduled reads of an installation, or of some of its objects.',
  tag: 'Read',
  audit: { verb: 'pause', resource: 'installation' },
  params: Path({ projectIdOrName: Ref, integrationId: Ref, installationId: Ref }),
  body: PauseRequest,
  bodyOptional: true,
  reply: { 204: Empty },
  problems: [InstallationNotFound],
  run: async ({ db, params, body, confinedTo }, { hooks }: { hooks: ReadHooks & ConnectionHooks }) => {
    const { installation, names } = await installationObject(db, params, confinedTo)
    const objects = namedObjects(body, names)
    await db.transaction(async (tx) => {
      // A sync that has read the states stores its changes first.
      await lockInstallation(tx, installation.id)
      const paused = await pauseObjects(tx, installation.id, 'request', objects)
      if (paused.length > 0)
        await hooks.readsPaused(tx, [{ installationId: installation.id, objectNames: paused, reason: 'request' }])
    })
    return reply(204, null)
  },
})
