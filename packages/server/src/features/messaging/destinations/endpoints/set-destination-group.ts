import { Type } from 'typebox'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, reply } from '../../../../kernel/http/index.ts'
import { lockForwarding } from '../forwarding.ts'
import {
  checkByGroup,
  DestinationGroup,
  destinationGroup,
  destinationGroupPath,
  findByGroup,
} from '../group-resource.ts'
import { upsertDestinationGroup } from '../group-store.ts'
import { DestinationNotByGroup, DestinationNotFound } from '../problems.ts'
import { findDestination, lockDestination } from '../store.ts'

export const setDestinationGroup = endpoint({
  id: 'setDestinationGroup',
  method: 'PUT',
  path: '/projects/{projectIdOrName}/destinations/{destination}/groups/{groupRef}',
  access: 'develop',
  summary: 'Set the destination of a group.',
  description:
    'Of a destination of type `by-group`: messages of the group go to the other destination from now on. The group need not exist yet.',
  tag: 'Destinations',
  audit: { verb: 'set', resource: 'destination-group' },
  extension: true,
  params: destinationGroupPath,
  body: Type.Object({
    destination: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Id or name of the destination that gets the messages of the group. It must send.',
    }),
  }),
  reply: { 200: DestinationGroup },
  problems: [DestinationNotFound, DestinationNotByGroup, InvalidInput],
  run: async ({ db, params, body }) => {
    const { id } = await findByGroup(db, params.destination)
    const row = await db.transaction(async (tx) => {
      const locked = await lockDestination(tx, id)
      if (!locked) throw new DestinationNotFound()
      checkByGroup(locked)
      await lockForwarding(tx)
      const targetName = await nameOfSender(tx, body.destination)
      return upsertDestinationGroup(tx, { destinationId: id, groupRef: params.groupRef, targetName })
    })
    return reply(200, destinationGroup(row))
  },
})

/** @throws InvalidInput if there is no such destination, or it does not send */
async function nameOfSender(tx: ProjectDb, idOrName: string): Promise<string> {
  const found = await findDestination(tx, idOrName)
  const refusal = (detail: string, remedy: string) =>
    new InvalidInput({ issues: [{ in: 'body', name: 'destination', value: idOrName, detail, remedy }] })
  if (!found)
    throw refusal('destination names no destination of this project.', 'Create it first, or correct the name.')
  if (found.members !== null)
    throw refusal(
      `destination names ${found.name}, which is a destination of type ${found.type}.`,
      'Name a destination that sends.',
    )
  return found.name
}
