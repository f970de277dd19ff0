import { endpoint, InvalidInput, reply } from '../../../../kernel/http/index.ts'
import { DestinationGroup, destinationGroup, destinationGroupPath, findByGroup } from '../group-resource.ts'
import { upsertDestinationGroup } from '../group-store.ts'
import { DestinationNotByGroup, DestinationNotFound } from '../problems.ts'
import { lockTarget, TargetRequest } from '../set-target.ts'

export const setDestinationGroup = endpoint({
  id: 'setDestinationGroup',
  method: 'PUT',
  path: '/projects/{projectIdOrName}/destinations/{destination}/groups/{groupRef}',
  access: 'develop',
  summary: 'Set the destination of a group.',
  description:
    'Of a destination of type `by-group`: messages of the group go to the other destination from now on, except those of connections that have a destination there. The group need not exist yet.',
  tag: 'Destinations',
  audit: { verb: 'set', resource: 'destination-group' },
  extension: true,
  params: destinationGroupPath,
  body: TargetRequest,
  reply: { 200: DestinationGroup },
  problems: [DestinationNotFound, DestinationNotByGroup, InvalidInput],
  run: async ({ db, params, body }) => {
    const { id } = await findByGroup(db, params.destination)
    const row = await db.transaction(async (tx) => {
      const targetName = await lockTarget(tx, id, body.destination)
      return upsertDestinationGroup(tx, { destinationId: id, groupRef: params.groupRef, targetName })
    })
    return reply(200, destinationGroup(row))
  },
})
