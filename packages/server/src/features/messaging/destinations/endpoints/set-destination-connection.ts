import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, reply } from '../../../../kernel/http/index.ts'
import { DestinationConnection, destinationConnection, destinationConnectionPath } from '../connection-resource.ts'
import { upsertDestinationConnection } from '../connection-store.ts'
import { findByGroup } from '../group-resource.ts'
import { DestinationNotByGroup, DestinationNotFound } from '../problems.ts'
import { lockTarget, TargetRequest } from '../set-target.ts'

export const setDestinationConnection = endpoint({
  id: 'setDestinationConnection',
  method: 'PUT',
  path: '/projects/{projectIdOrName}/destinations/{destination}/connections/{connectionId}',
  access: 'develop',
  summary: 'Set the destination of a connection.',
  description:
    'Of a destination of type `by-group`: messages of the connection go to the other destination from now on, in place of the destination of its group.',
  tag: 'Destinations',
  audit: { verb: 'set', resource: 'destination-connection' },
  extension: true,
  params: destinationConnectionPath,
  body: TargetRequest,
  reply: { 200: DestinationConnection },
  problems: [DestinationNotFound, DestinationNotByGroup, InvalidInput],
  run: async ({ db, params: { destination, connectionId }, body }) => {
    const { id } = await findByGroup(db, destination)
    const row = await db.transaction(async (tx) => {
      const targetName = await lockTarget(tx, id, body.destination)
      if (!isId(connectionId)) return undefined
      return upsertDestinationConnection(tx, { destinationId: id, connectionId, targetName })
    })
    if (!row)
      throw new InvalidInput({
        issues: [
          {
            in: 'path',
            name: 'connectionId',
            value: connectionId,
            detail: 'connectionId is the id of no connection of this project.',
            remedy: 'List the connections of the customer to find it.',
          },
        ],
      })
    return reply(200, destinationConnection(row))
  },
})
