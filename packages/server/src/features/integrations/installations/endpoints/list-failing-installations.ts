import { Type } from 'typebox'
import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { findIntegrationId } from '../../../platform/operations/index.ts'
import { type Failure, type FailureKey, listFailures } from '../failing-store.ts'
import { FailingInstallationPage, FailureReasonSchema, failureReasons } from '../failures.ts'

const pageSizeDefault = 100

export const listFailingInstallations = endpoint({
  id: 'listFailingInstallations',
  method: 'GET',
  path: '/projects/{projectIdOrName}/installations:failing',
  access: 'view',
  summary: 'List why installations fail.',
  description:
    'The worst reason first, then the longest failure. An installation that fails for several reasons, or several objects, has a result for each. The reasons are those of the status of the installation.',
  tag: 'Installations',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: `Results of one page at most; ${pageSizeDefault} when absent.`,
      }),
    ),
    pageToken: PageQuery.pageToken,
    integrationId: Type.Optional(Type.String({ maxLength: 512, description: 'Id of an integration, or its name.' })),
    groupRef: Type.Optional(Type.String({ maxLength: 512, description: 'Your id of a group.' })),
    reason: Type.Optional(FailureReasonSchema),
  }),
  reply: { 200: FailingInstallationPage },
  run: async (input) => {
    const { db, query } = input
    const { groupRef, reason } = query
    const integrationId =
      query.integrationId === undefined ? undefined : await findIntegrationId(db, query.integrationId)
    if (query.integrationId !== undefined && integrationId === undefined)
      return reply(200, { results: [], pagination: { done: true } })
    const { items, nextPageToken, headers } = await pageOf(input, {
      pageSizeDefault,
      keyOf: ({ key }: Failure) => JSON.stringify(key),
      isKey: (text) => readKey(text) !== undefined,
      list: ({ after, limit = pageSizeDefault }) =>
        listFailures(db, {
          filter: { integrationId, groupRef, reason },
          after: after === undefined ? undefined : readKey(after),
          limit,
        }),
    })
    const pagination = nextPageToken === undefined ? { done: true } : { done: false, nextPageToken }
    return reply(200, { results: items.map(({ item }) => item), pagination }, headers)
  },
})

const timePattern = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d){0,2}$/

function readKey(text: string): FailureKey | undefined {
  try {
    const { reason, since, installationId, objectName } = JSON.parse(text) as Partial<FailureKey>
    if (reason === undefined || !failureReasons.includes(reason)) return undefined
    if (typeof since !== 'string' || !timePattern.test(since) || Number.isNaN(Date.parse(since))) return undefined
    if (typeof installationId !== 'string' || !isId(installationId) || typeof objectName !== 'string') return undefined
    return { reason, since, installationId, objectName }
  } catch {
    // Not JSON, or no object.
    return undefined
  }
}
