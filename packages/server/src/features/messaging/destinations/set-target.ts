import { Type } from 'typebox'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput } from '../../../kernel/http/index.ts'
import { lockForwarding } from './forwarding.ts'
import { checkByGroup } from './group-resource.ts'
import { DestinationNotFound } from './problems.ts'
import { findDestination, lockDestination } from './store.ts'

/** Body of a request that sets the destination of a group or of a connection. */
export const TargetRequest = Type.Object({
  destination: Type.String({
    minLength: 1,
    maxLength: 512,
    description: 'Id or name of the destination that gets the messages from now on. It must send.',
  }),
})

/**
 * Locks a destination of type `by-group`, and returns the name of the destination that a request gives messages to.
 *
 * @throws DestinationNotFound, DestinationNotByGroup, and InvalidInput if there is no such target, or it does not send
 */
export async function lockTarget(tx: ProjectDb, destinationId: string, idOrName: string): Promise<string> {
  const locked = await lockDestination(tx, destinationId)
  if (!locked) throw new DestinationNotFound()
  checkByGroup(locked)
  await lockForwarding(tx)
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
