import { Type } from 'typebox'
import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, PageQuery, Path, ProjectPath, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { OperationPage } from '../model.ts'
import { OperationInstallationNotFound } from '../problems.ts'
import { hasInstallation, listOperations as listPage } from '../store.ts'

const pageSizeDefault = 200

export const listOperations = endpoint({
  id: 'listOperations',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/operations',
  access: 'view',
  summary: 'List the operations of an installation.',
  description: 'Newest first.',
  tag: 'Operations',
  params: Path({ ...ProjectPath.properties, integrationId: Ref, installationId: Ref }),
  query: Type.Object({
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: `Operations of one page at most; ${pageSizeDefault} when absent.`,
      }),
    ),
    pageToken: PageQuery.pageToken,
  }),
  reply: { 200: OperationPage },
  problems: [OperationInstallationNotFound],
  run: async (input) => {
    const { db, params } = input
    const { integrationId, installationId } = params
    if (!isId(installationId) || !(await hasInstallation(db, integrationId, installationId)))
      throw new OperationInstallationNotFound()
    const { items, nextPageToken, headers } = await pageOf(input, {
      list: (page) => listPage(db, { installationId, ...page }),
      keyOf: ({ id }) => id,
      pageSizeDefault,
    })
    const pagination = nextPageToken === undefined ? { done: true } : { done: false, nextPageToken }
    return reply(200, { results: items, pagination }, headers)
  },
})
