import type { MissingPermission } from './connect-info/model.ts'

const actions = [
  ['read', 'read'],
  ['write', 'create and change'],
  ['delete', 'delete'],
  ['subscribe', 'receive events of'],
] as const

/** Describes a permission for the person who connects the account: `Read your contacts (to read People)`. */
export function permissionText({ scope, description = scope, neededFor }: MissingPermission): string {
  const uses = actions.flatMap(([action, words]) => {
    const names = [...new Set(neededFor.filter((use) => use.action === action).map((use) => use.displayName))]
    return names.length === 0 ? [] : [`to ${words} ${names.join(', ')}`]
  })
  return uses.length === 0 ? description : `${description} (${uses.join('; ')})`
}
