import type { Draft } from './draft.ts'
import type { Connection, MissingPermission } from './wire.ts'

/** Names of the objects that need a permission, by what is done with them. */
export function usesOf({ neededFor }: MissingPermission): { action: Action; names: string[] }[] {
  return (['read', 'write', 'delete', 'subscribe'] as const).flatMap((action) => {
    const names = [...new Set(neededFor.filter((use) => use.action === action).map((use) => use.displayName))]
    return names.length === 0 ? [] : [{ action, names }]
  })
}
type Action = MissingPermission['neededFor'][number]['action']

/** Whether a customer may continue without what an account did not grant: nothing that is always read needs it. */
export function canContinueWithout({ missingPermissions = [] }: Connection): boolean {
  return !missingPermissions.some(({ neededFor }) => neededFor.some(({ isRequired }) => isRequired))
}

/** Names of the objects that an account does not allow to read or write. */
export function deniedObjects({ missingPermissions = [] }: Connection, action: 'read' | 'write'): Set<string> {
  const uses = missingPermissions.flatMap(({ neededFor }) => neededFor)
  return new Set(uses.filter((use) => use.action === action && !use.isRequired).map(({ objectName }) => objectName))
}

/** Leaves out what an account does not allow. The customer may choose it all the same. */
export function withoutDenied(draft: Draft, connection: Connection): Draft {
  const [reads, writes] = [deniedObjects(connection, 'read'), deniedObjects(connection, 'write')]
  return {
    ...draft,
    objects: draft.objects.map((one) => (reads.has(one.objectName) ? { ...one, isOn: false } : one)),
    writes: draft.writes.map((one) => (writes.has(one.objectName) ? { ...one, isOn: false } : one)),
  }
}
