import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import { destinationGroupPath, findByGroup } from '../group-resource.ts'
import { deleteDestinationGroupRow } from '../group-store.ts'
import { DestinationGroupNotFound, DestinationNotByGroup, DestinationNotFound } from '../problems.ts'

export const deleteDestinationGroup = endpoint({
  id: 'deleteDestinationGroup',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/destinations/{destination}/groups/{groupRef}',
  access: 'develop',
  summary: 'Remove the destination of a group.',
  description:
    'Of a destination of type `by-group`: messages of the group go to its default from now on. Neither the group nor the other destination is deleted.',
  tag: 'Destinations',
  audit: { verb: 'delete', resource: 'destination-group' },
  extension: true,
  params: destinationGroupPath,
  reply: { 204: Empty },
  problems: [DestinationNotFound, DestinationNotByGroup, DestinationGroupNotFound],
  run: async ({ db, params: { destination, groupRef } }) => {
    const { id } = await findByGroup(db, destination)
    if (!(await deleteDestinationGroupRow(db, { destinationId: id, groupRef }))) throw new DestinationGroupNotFound()
    return reply(204, null)
  },
})
