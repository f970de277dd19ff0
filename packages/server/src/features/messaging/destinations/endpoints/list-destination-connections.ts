import { Type } from 'typebox'
import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, PageQuery, Path, ProjectPath, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { DestinationConnection, destinationConnection } from '../connection-resource.ts'
import { listDestinationConnectionRows } from '../connection-store.ts'
import { findByGroup } from '../group-resource.ts'
import { DestinationNotByGroup, DestinationNotFound } from '../problems.ts'

export const listDestinationConnections = endpoint({
  id: 'listDestinationConnections',
  method: 'GET',
  path: '/projects/{projectIdOrName}/destinations/{destination}/connections',
  access: 'view',
  summary: 'List the destinations of connections, sorted by id.',
  description:
    'Of a destination of type `by-group`. Connections that are not in the list have the destination of their group.',
  tag: 'Destinations',
  extension: true,
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(DestinationConnection) },
  problems: [DestinationNotFound, DestinationNotByGroup],
  run: async (input) => {
    const { id } = await findByGroup(input.db, input.params.destination)
    const { items, headers } = await pageOf(input, {
      list: (page) => listDestinationConnectionRows(input.db, id, page),
      keyOf: ({ connection_id: connectionId }) => connectionId,
      isKey: isId,
    })
    return reply(200, items.map(destinationConnection), headers)
  },
})
