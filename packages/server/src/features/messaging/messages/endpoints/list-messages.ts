import { Type } from 'typebox'
import { isId, type ProjectDb } from '../../../../kernel/db/index.ts'
import { Enum, endpoint, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { listNamedInstallations, withOwners } from '../../../platform/operations/index.ts'
import { findDestination } from '../../destinations/index.ts'
import { type DestinationFilter, listMessages as listRows } from '../message-list-store.ts'
import { Message, messageStates } from '../message-model.ts'
import { idFilter, messageListQuery, pageOfMessages, pageSizeDefault } from './message-list-query.ts'

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
    ...messageListQuery,
    destination: Type.Optional(
      Type.String({
        ...Ref,
        description: 'Id or name of a destination. For a name without a destination: the messages that wait for it.',
      }),
    ),
    state: Type.Optional(Enum([...messageStates], { description: 'State of the messages.' })),
    eventType: Type.Optional(Type.String({ maxLength: 100, description: 'The event of the notifications.' })),
    operationId: idFilter('Id of the operation that made them.'),
  }),
  reply: { 200: Type.Array(Message) },
  run: async ({ db, query, operationId, url }) => {
    const { operationId: madeBy } = query
    // A filter that is not a valid id matches nothing.
    if (madeBy !== undefined && !isId(madeBy)) return reply(200, [])
    const filter = {
      state: query.state,
      kind: query.kind,
      eventType: query.eventType,
      installationIds: await listNamedInstallations(db, query),
      operationId: madeBy,
      destination: query.destination === undefined ? undefined : await destinationFilter(db, query.destination),
    }
    const { items, headers } = await pageOfMessages({ operationId, url, query }, (range, limit) =>
      listRows(db, { ...filter, ...range }, limit),
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
