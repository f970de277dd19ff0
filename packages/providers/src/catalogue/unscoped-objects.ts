import type { OAuth2Authentication } from './format/oauth2-authentication.ts'
import type { ProviderFile, ProviderObject } from './format/provider-file.ts'
import type { reasonsWithoutScopes } from './format/scopes.ts'
import { abilities, type ScopeAction } from './object-scopes.ts'

export interface UnscopedObject {
  /** Without modules, `''`. */
  module: string
  /** `*` stands for objects that the file does not name. */
  object: string
  /** Without scopes. Searches need those of `read`, and events those of `read`, unless the file says otherwise. */
  actions: ScopeAction[]
  /** Absent if the file does not say why. */
  why?: (typeof reasonsWithoutScopes)[number]
}

interface OAuthFile {
  authentication: readonly (OAuth2Authentication | { scheme: string })[]
  file?: Pick<ProviderFile, 'sets'>
}

/** Lists the objects of an OAuth file that have an action without scopes; undefined without OAuth or objects. */
export function unscopedObjects({ authentication, file }: OAuthFile): UnscopedObject[] | undefined {
  const schemes = authentication.filter((one): one is OAuth2Authentication => one.scheme === 'oauth2')
  const objects = [...(file?.sets ?? [])].flatMap(([module, set]) => [
    ...[...set.objects].map(([name, object]) => ({ module, name, object })),
    ...set.others.map(({ object }) => ({ module, name: '*', object })),
  ])
  if (schemes.length === 0 || objects.length === 0) return undefined
  const reasons = schemes.flatMap(({ withoutScopes = [] }) => withoutScopes)
  return objects.flatMap(({ module, name, object }) => {
    const actions = actionsWithout(object)
    const reason =
      reasons.find(({ objects }) => objects?.includes(name)) ?? reasons.find(({ objects }) => objects === undefined)
    return actions.length === 0 ? [] : [{ module, object: name, actions, ...(reason && { why: reason.why }) }]
  })
}

function actionsWithout(object: ProviderObject): ScopeAction[] {
  const { read, write, delete: erase = write } = object.scopes ?? {}
  const known = { read, write, delete: erase }
  return (['read', 'write', 'delete'] as const).filter(
    (action) => known[action] === undefined && abilities[action](object, undefined),
  )
}
