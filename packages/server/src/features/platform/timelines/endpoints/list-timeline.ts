import { Type } from 'typebox'
import { firstIdAt } from '../../../../kernel/db/index.ts'
import { Enum, endpoint, InvalidInput, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { kindFamilies, type TimelineEntry, TimelinePage, timelineKinds } from '../model.ts'
import { findTarget, type TimelineOf } from '../target.ts'
import { listTimeline as listEntries } from '../timeline.ts'

const pageSizeDefault = 50
const pageSizeMax = 200

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 512, description }))
const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

export const listTimeline = endpoint({
  id: 'listTimeline',
  method: 'GET',
  path: '/projects/{projectIdOrName}/timeline',
  access: 'view',
  summary: 'List what happened to a group, an installation or a connection.',
  description:
    'Newest first. Name exactly one group, installation or connection. Scheduled reads that found nothing and proxy calls that succeeded are left out. A page examines a limited number of operations. It may have fewer items than requested, or none, and `nextPageToken` continues.',
  tag: 'Operations',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    groupRef: text('Your id of a group: its installations and connections, also those that were deleted.'),
    installationId: text('Id of an installation. Its connection is included.'),
    connectionId: text('Id of a connection. Its installations are included.'),
    kind: Type.Optional(
      Enum([...kindFamilies, ...timelineKinds], { description: 'A kind of entries, or the part before the point.' }),
    ),
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
  reply: { 200: TimelinePage },
  run: async (input) => {
    const { db, query } = input
    const target = await findTarget(db, timelineOf(query))
    const from = query.startTime === undefined ? undefined : firstIdAt(new Date(query.startTime))
    const end = query.endTime === undefined ? undefined : firstIdAt(new Date(query.endTime))
    let examinedTo: string | undefined
    const { items, nextPageToken, headers } = await pageOf(input, {
      pageSizeDefault,
      keyOf: ({ id }: TimelineEntry) => id,
      stoppedAt: () => examinedTo,
      list: async ({ after, limit = pageSizeDefault }) => {
        const below = after === undefined || (end !== undefined && end < after) ? end : after
        const found = await listEntries(db, target, { kind: query.kind, from, below, limit })
        examinedTo = found.examinedTo
        return found.entries
      },
    })
    const pagination = nextPageToken === undefined ? { done: true } : { done: false, nextPageToken }
    return reply(200, { results: items, pagination }, headers)
  },
})

/** @throws InvalidInput unless exactly one of the three is named */
function timelineOf(query: {
  groupRef?: string | undefined
  installationId?: string | undefined
  connectionId?: string | undefined
}): TimelineOf {
  const { groupRef, installationId, connectionId } = query
  const named: TimelineOf[] = []
  if (groupRef !== undefined) named.push({ groupRef })
  if (installationId !== undefined) named.push({ installationId })
  if (connectionId !== undefined) named.push({ connectionId })
  const [of] = named
  if (of && named.length === 1) return of
  throw new InvalidInput({
    issues: [
      {
        in: 'query',
        name: 'groupRef',
        detail: 'A time line is that of one group, one installation or one connection.',
        remedy: 'Pass exactly one of groupRef, installationId and connectionId.',
      },
    ],
  })
}
