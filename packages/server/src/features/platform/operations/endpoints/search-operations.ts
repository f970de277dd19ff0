import { Type } from 'typebox'
import { firstIdAt, timeOfId } from '../../../../kernel/db/index.ts'
import { Enum, endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { FoundOperationPage, type Operation, ReadType } from '../model.ts'
import { type OperationFilter, searchOperations as search } from '../search-store.ts'
import { findIntegrationId } from '../store.ts'
import { withOwners } from '../with-owners.ts'

const pageSizeDefault = 100

const text = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }))
const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

export const searchOperations = endpoint({
  id: 'searchOperations',
  method: 'GET',
  path: '/projects/{projectIdOrName}/operations',
  access: 'view',
  summary: 'List the operations of a project.',
  description:
    'Newest first. You can combine filters. A page examines a limited number of operations. If few of them match, the page has fewer items, or none, and `nextPageToken` continues the search.',
  tag: 'Operations',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: `Operations of one page at most; ${pageSizeDefault} when absent.`,
      }),
    ),
    pageToken: PageQuery.pageToken,
    groupRef: text('Your id of a group.'),
    integrationId: text('Id of an integration, or its name.'),
    installationId: text('Id of an installation.'),
    objectName: text('The provider’s name of an object.'),
    actionType: Type.Optional(
      Enum(['read', 'write', 'subscribe', 'proxy', 'tool'], { description: 'What the operations do.' }),
    ),
    status: Type.Optional(Enum(['in_progress', 'success', 'failure'], { description: 'Status of the operations.' })),
    readType: Type.Optional(ReadType),
    createdAfter: time('Began at this time or later.'),
    createdBefore: time('Began before this time.'),
  }),
  reply: { 200: FoundOperationPage },
  run: async (input) => {
    const { db, query } = input
    const { integrationId: integration, installationId, createdAfter, createdBefore } = query
    const integrationId = integration === undefined ? undefined : await findIntegrationId(db, integration)
    // A filter that selects nothing finds nothing.
    if (integration !== undefined && !integrationId) return reply(200, { results: [], pagination: { done: true } })
    const { groupRef, objectName, actionType, status, readType } = query
    const filter: OperationFilter = {
      groupRef,
      integrationId,
      installationId,
      objectName,
      actionType,
      status,
      readType,
    }
    const from = createdAfter === undefined ? undefined : firstIdAt(new Date(createdAfter))
    const end = createdBefore === undefined ? undefined : firstIdAt(new Date(createdBefore))
    let examinedTo: string | undefined
    const { items, nextPageToken, headers } = await pageOf(input, {
      pageSizeDefault,
      keyOf: ({ id }: Operation) => id,
      stoppedAt: () => examinedTo,
      list: async ({ after, limit = pageSizeDefault }) => {
        const below = after === undefined || (end !== undefined && end < after) ? end : after
        const found = await search(db, { ...filter, from, below }, limit)
        examinedTo = found.operations.length < limit ? found.examinedTo : undefined
        return found.operations
      },
    })
    const pagination = nextPageToken === undefined ? { done: true } : { done: false, nextPageToken }
    const examined = examinedTo === undefined ? {} : { examinedTime: timeOfId(examinedTo) }
    return reply(200, { results: await withOwners(db, items), pagination, ...examined }, headers)
  },
})
