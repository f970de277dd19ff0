import { Type } from 'typebox'
import { firstIdAt, isId, type ProjectDb } from '../../../../kernel/db/index.ts'
import { Enum, endpoint, PageQuery, ProjectPath, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { listNamedInstallations, withOwners } from '../../../platform/operations/index.ts'
import { findDestination } from '../../destinations/index.ts'
import { type DestinationFilter, listMessages as listRows } from '../message-list-store.ts'
import { Message, messageKinds, messageStates } from '../message-model.ts'

const pageSizeDefault = 100

const id = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }))
const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

export const listMessages = endpoint({
  id: 'listMessages',
  method: 'GET',
  path: '/projects/{projectIdOrName}/messages',
  access: 'view',
  summary: 'List messages.',
  description: `Newest first. This list is always in pages: ${pageSizeDefault} messages by default. The header Link has the next page. You can combine filters.`,
  tag: 'Messages',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    ...PageQuery,
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: `Items of one page at most; ${pageSizeDefault} when absent.`,
      }),
    ),
    destination: Type.Optional(
      Type.String({
        ...Ref,
        description: 'Id or name of a destination. For a name without a destination: the messages that wait for it.',
      }),
    ),
    state: Type.Optional(Enum([...messageStates], { description: 'State of the messages.' })),
    kind: Type.Optional(Enum([...messageKinds], { description: 'What the messages bring.' })),
    eventType: Type.Optional(Type.String({ maxLength: 100, description: 'The event of the notifications.' })),
    groupRef: id('Your id of the group that they come from.'),
    installationId: id('Id of the installation that they come from.'),
    operationId: id('Id of the operation that made them.'),
    createdAfter: time('Posted at this time or later.'),
    createdBefore: time('Posted before this time.'),
  }),
  reply: { 200: Type.Array(Message) },
  run: async ({ db, query, operationId, url }) => {
    const { operationId: madeBy, createdAfter, createdBefore } = query
    // A filter that is not a valid id matches nothing.
    if (madeBy !== undefined && !isId(madeBy)) return reply(200, [])
    const filter = {
      state: query.state,
      kind: query.kind,
      eventType: query.eventType,
      installationIds: await listNamedInstallations(db, query),
      operationId: madeBy,
      destination: query.destination === undefined ? undefined : await destinationFilter(db, query.destination),
      from: createdAfter === undefined ? undefined : firstIdAt(new Date(createdAfter)),
    }
    const end = createdBefore === undefined ? undefined : firstIdAt(new Date(createdBefore))
    const { items, headers } = await pageOf(
      { operationId, url, query },
      {
        pageSizeDefault,
        keyOf: (message: Message) => message.id,
        list: ({ after, limit = pageSizeDefault }) => listRows(db, { ...filter, below: lesser(after, end) }, limit),
      },
    )
    return reply(200, await withOwners(db, items), headers)
  },
})

async function destinationFilter(db: ProjectDb, idOrName: string): Promise<DestinationFilter> {
  const found = await findDestination(db, idOrName)
  if (found) return { id: found.id }
  // A deleted destination: its messages still have its id.
  return isId(idOrName) ? { id: idOrName } : { destinationName: idOrName }
}

function lesser(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? a : b
}
