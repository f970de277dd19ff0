import { Type } from 'typebox'
import { firstIdAt, isId } from '../../../../kernel/db/index.ts'
import { Enum, endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { findIntegrationId, withOwners } from '../../../platform/operations/index.ts'
import { type ProviderEvent, ProviderEventPage, providerEventOutcomes } from '../model.ts'
import { listProviderEvents as listEvents, type ProviderEventFilter } from '../store.ts'

const pageSizeDefault = 50
const pageSizeMax = 200

const text = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }))
const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

export const listProviderEvents = endpoint({
  id: 'listProviderEvents',
  method: 'GET',
  path: '/projects/{projectIdOrName}/provider-events',
  access: 'view',
  summary: 'List what providers sent to the webhooks of a project.',
  description:
    'Newest first, without the contents. You can combine filters. Each process stores at most 60 entries a minute of one URL, and 10 of refused requests; further requests share an entry. A page examines a limited number of entries. It may have fewer items than requested, or none, and `nextPageToken` continues.',
  tag: 'Operations',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    provider: text('Name of a provider.'),
    integrationId: text('Id of an integration, or its name.'),
    installationId: text('Id of an installation. Events of all accounts of an app have none.'),
    outcome: Type.Optional(Enum([...providerEventOutcomes], { description: 'What became of the request.' })),
    startTime: time('Entries from this time on.'),
    endTime: time('Entries before this time.'),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: pageSizeMax,
        description: `Entries of one page at most; ${pageSizeDefault} when absent.`,
      }),
    ),
    pageToken: PageQuery.pageToken,
  }),
  reply: { 200: ProviderEventPage },
  run: async (input) => {
    const { db, query } = input
    const { provider, integrationId: integration, installationId, outcome } = query
    const integrationId = integration === undefined ? undefined : await findIntegrationId(db, integration)
    // A filter that selects nothing finds nothing.
    if ((integration !== undefined && !integrationId) || (installationId !== undefined && !isId(installationId)))
      return reply(200, { results: [], pagination: { done: true } })
    const filter: ProviderEventFilter = { provider, integrationId, installationId, outcome }
    const from = query.startTime === undefined ? undefined : firstIdAt(new Date(query.startTime))
    const end = query.endTime === undefined ? undefined : firstIdAt(new Date(query.endTime))
    let examinedTo: string | undefined
    const { items, nextPageToken, headers } = await pageOf(input, {
      pageSizeDefault,
      keyOf: ({ id }: ProviderEvent) => id,
      stoppedAt: () => examinedTo,
      list: async ({ after, limit = pageSizeDefault }) => {
        const below = after === undefined || (end !== undefined && end < after) ? end : after
        const found = await listEvents(db, { ...filter, from, below }, limit)
        examinedTo = found.examinedTo
        return found.events
      },
    })
    const pagination = nextPageToken === undefined ? { done: true } : { done: false, nextPageToken }
    return reply(200, { results: await withOwners(db, items), pagination }, headers)
  },
})
