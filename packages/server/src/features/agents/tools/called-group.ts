import { Type } from 'typebox'
import { type Confinement, InvalidInput, type Issue } from '../../../kernel/http/index.ts'

/** Query or body: whom a call is for. */
export const groupQuery = {
  groupRef: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Your id of the group. Required with an API key; a consumer token names its group.',
    }),
  ),
  consumerRef: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Your id of the person whom the agent works for. A consumer token names its consumer.',
    }),
  ),
}

/**
 * Returns whom a call is for. A consumer token decides; the kernel rejects a request that names others.
 *
 * @throws InvalidInput without a group
 */
export function calledGroup(
  named: { groupRef?: string; consumerRef?: string },
  confinedTo: Confinement | undefined,
  part: Issue['in'],
): { groupRef: string; consumerRef: string | undefined } {
  if (confinedTo) return { groupRef: confinedTo.groupRef, consumerRef: confinedTo.consumerRef }
  if (named.groupRef === undefined)
    throw new InvalidInput({
      issues: [
        {
          in: part,
          name: 'groupRef',
          detail: 'groupRef is required with an API key.',
          remedy: 'Name the group whose accounts the agent may use.',
        },
      ],
    })
  return { groupRef: named.groupRef, consumerRef: named.consumerRef }
}
