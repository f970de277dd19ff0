import { Type } from 'typebox'
import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, PageQuery, Path, ProjectPath, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { InstallationNotFound } from '../../../integrations/installations/index.ts'
import { SchemaChange } from '../model.ts'
import { hasInstallation, listChanges } from '../store.ts'

export const listSchemaChanges = endpoint({
  id: 'listSchemaChanges',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/schema-changes',
  access: 'view',
  extension: true,
  summary: 'List the changes of fields of watched objects.',
  description:
    'Newest first, as long as retention keeps them. All that changed is here, whichever kinds of change the manifest wants messages of.',
  tag: 'Objects and fields',
  params: Path({ ...ProjectPath.properties, integrationId: Ref, installationId: Ref }),
  query: Type.Object({
    objectName: Type.Optional(Type.String({ description: 'Only of this object, by the provider’s name.' })),
    ...PageQuery,
  }),
  reply: { 200: Type.Array(SchemaChange, { description: 'Newest first.' }) },
  problems: [InstallationNotFound],
  run: async (input) => {
    const { db, params, query } = input
    const { integrationId, installationId } = params
    if (!isId(installationId) || !(await hasInstallation(db, integrationId, installationId)))
      throw new InstallationNotFound()
    const { items, headers } = await pageOf(input, {
      list: (page) => listChanges(db, { installationId, objectName: query.objectName }, page),
      keyOf: ({ id }) => id,
    })
    return reply(200, items, headers)
  },
})
