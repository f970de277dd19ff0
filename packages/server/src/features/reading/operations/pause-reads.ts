import { Empty, operation, Path, Ref, reply } from '../../../kernel/http/index.ts'
import { InstallationNotFound } from '../../installations/index.ts'
import { installationObject } from '../installation-object.ts'
import { PauseRequest } from '../model.ts'
import { namedObjects } from '../named-objects.ts'
import { pauseObjects } from '../state-store.ts'

export const pauseReads = operation({
  id: 'pauseReads',
  method: 'POST',
  path: '//read/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}:pause',
  access: 'full',
  summary: 'Stops the scheduled reads of an installation, or of some of its objects.',
  tag: 'Read',
  params: Path({ projectIdOrName: Ref, integrationId: Ref, installationId: Ref }),
  body: PauseRequest,
  bodyOptional: true,
  reply: { 204: Empty },
  problems: [InstallationNotFound],
  run: async ({ db, params, body }) => {
    const { installation, names } = await installationObject(db, params)
    await pauseObjects(db, installation.id, 'request', namedObjects(body, names))
    return reply(204, null)
  },
})
