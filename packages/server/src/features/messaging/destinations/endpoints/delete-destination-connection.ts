import { isId } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import { destinationConnectionPath } from '../connection-resource.ts'
import { deleteDestinationConnectionRow } from '../connection-store.ts'
import { findByGroup } from '../group-resource.ts'
import { DestinationConnectionNotFound, DestinationNotByGroup, DestinationNotFound } from '../problems.ts'

export const deleteDestinationConnection = endpoint({
  id: 'deleteDestinationConnection',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/destinations/{destination}/connections/{connectionId}',
  access: 'develop',
  summary: 'Remove the destination of a connection.',
  description:
    'Of a destination of type `by-group`: messages of the connection go to the destination of its group from now on. Neither the connection nor the other destination is deleted.',
  tag: 'Destinations',
  audit: { verb: 'delete', resource: 'destination-connection' },
  extension: true,
  params: destinationConnectionPath,
  reply: { 204: Empty },
  problems: [DestinationNotFound, DestinationNotByGroup, DestinationConnectionNotFound],
  run: async ({ db, params: { destination, connectionId } }) => {
    const { id } = await findByGroup(db, destination)
    const deleted =
      isId(connectionId) && (await deleteDestinationConnectionRow(db, { destinationId: id, connectionId }))
    if (!deleted) throw new DestinationConnectionNotFound()
    return reply(204, null)
  },
})
