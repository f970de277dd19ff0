import { Type } from 'typebox'
import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { InstallationNotFound } from '../../../integrations/installations/index.ts'
import { SchemaWatch } from '../model.ts'
import { hasInstallation, listWatches } from '../store.ts'

export const listSchemaWatches = endpoint({
  id: 'listSchemaWatches',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/schema-watches',
  access: 'view',
  extension: true,
  summary: 'List the watched objects and their last checks.',
  description: 'Empty if the manifest has no `watchSchema`.',
  tag: 'Objects and fields',
  params: Path({ ...ProjectPath.properties, integrationId: Ref, installationId: Ref }),
  reply: { 200: Type.Array(SchemaWatch, { description: 'By the name of the object.' }) },
  problems: [InstallationNotFound],
  run: async ({ db, params: { integrationId, installationId } }) => {
    if (!isId(installationId) || !(await hasInstallation(db, integrationId, installationId)))
      throw new InstallationNotFound()
    return reply(200, await listWatches(db, installationId))
  },
})
