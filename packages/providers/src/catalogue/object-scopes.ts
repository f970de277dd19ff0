import { sourceIn } from '../interpreter/webhooks/event-source.ts'
import type { OAuth2Authentication } from './format/oauth2-authentication.ts'
import type { ProviderFile, ProviderObject } from './format/provider-file.ts'
import type { EventSource } from './format/webhooks.ts'

export const scopeActions = ['read', 'write', 'delete', 'subscribe'] as const
export type ScopeAction = (typeof scopeActions)[number]

/** Needed together: each item lists scopes of which one is enough. */
export type NeededScopes = readonly (readonly string[])[]
/** What an object needs, by action. An action that is absent is not known. */
export type ObjectScopes = Partial<Record<ScopeAction, NeededScopes>>
/** By module (`''` without modules), then by object. `*` stands for objects that the file does not name. */
export type ScopesOfModules = Readonly<Record<string, Readonly<Record<string, ObjectScopes>>>>

/** Collects the scopes of all objects of a file; undefined if it has none. */
export function scopesOfFile({ sets, ...ofProvider }: ProviderFile): ScopesOfModules | undefined {
  const modules = [...sets].flatMap(([module, { objects, others, ...own }]) => {
    const events = sourceIn(own) ?? sourceIn(ofProvider)
    const named = [...objects].flatMap(([name, object]) => entryOf(name, object, events))
    const further = scopesInCommon(
      others.map(({ object }) => object),
      events,
    )
    const all = [...named, ...(further ? [['*', further] as const] : [])]
    return all.length === 0 ? [] : [[module, Object.fromEntries(all)] as const]
  })
  return modules.length === 0 ? undefined : Object.fromEntries(modules)
}

function entryOf(name: string, object: ProviderObject, source: EventSource | undefined): [string, ObjectScopes][] {
  const scopes = scopesOf(object, source)
  return scopes === undefined ? [] : [[name, scopes]]
}

/** What each action asks of an object. */
export const abilities: Readonly<
  Record<ScopeAction, (object: ProviderObject, source: EventSource | undefined) => boolean>
> = {
  read: ({ read, get }) => read !== undefined || get !== undefined,
  write: ({ write }) => write?.create !== undefined || write?.update !== undefined,
  delete: ({ write }) => write?.delete !== undefined,
  subscribe: (_, source) => source !== undefined,
}

/** The scopes of what the object can do: a template may say more than its objects have. */
function scopesOf(object: ProviderObject, source: EventSource | undefined): ObjectScopes | undefined {
  const { read, write, delete: erase = write, subscribe = read } = object.scopes ?? {}
  const events = [...(subscribe ?? []), ...(source?.scopes ?? [])]
  const declared = { read, write, delete: erase, subscribe: events.length > 0 ? events : undefined }
  const known = scopeActions.flatMap((action) => {
    const needs = declared[action]
    return needs === undefined || !abilities[action](object, source)
      ? []
      : [[action, needs.map((one) => (typeof one === 'string' ? [one] : one.anyOf))] as const]
  })
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

/** The scopes of objects that no list names: of each action, if all that can do it need the same. */
function scopesInCommon(objects: readonly ProviderObject[], source: EventSource | undefined): ObjectScopes | undefined {
  const common = scopeActions.flatMap((action) => {
    const [first, ...more] = objects
      .filter((object) => abilities[action](object, source))
      .map((object) => scopesOf(object, source)?.[action])
    const isSame = more.every((needs) => JSON.stringify(needs) === JSON.stringify(first))
    return first !== undefined && isSame ? [[action, first] as const] : []
  })
  return common.length === 0 ? undefined : Object.fromEntries(common)
}

interface ScopedProvider {
  objectScopes?: ScopesOfModules
  defaultModule?: string
  modules: Readonly<Record<string, unknown>>
}

/** Returns the scopes of an object of a module, or of the module that is used by default. */
export function scopesOfObject(
  { objectScopes = {}, defaultModule = '', modules }: ScopedProvider,
  module: string | undefined,
  object: string,
): ObjectScopes {
  const used = module ?? (Object.hasOwn(modules, defaultModule) ? defaultModule : '')
  const objects = Object.hasOwn(objectScopes, used) ? objectScopes[used] : undefined
  if (objects === undefined) return {}
  return (Object.hasOwn(objects, object) ? objects[object] : objects['*']) ?? {}
}

export type ScopeRules = Pick<
  OAuth2Authentication,
  'scopeIncludes' | 'scopePrefix' | 'scopesOnDemand' | 'scopesRequired'
>

/** Returns what the provider says about its scopes; undefined if it has no OAuth. */
export function scopeRulesOf({
  authentication,
}: {
  authentication: readonly (OAuth2Authentication | { scheme: string })[]
}): ScopeRules | undefined {
  return authentication.find((one): one is OAuth2Authentication => one.scheme === 'oauth2')
}

/** Returns the needs that none of these scopes meets, neither itself nor as a broader scope. */
export function lackingScopes(rules: ScopeRules, needs: NeededScopes, scopes: Iterable<string>): NeededScopes {
  const known = reach(rules, scopes)
  return needs.filter((anyOf) => !anyOf.some((scope) => known.has(comparable(rules, scope))))
}

/** The scopes, and all that they include, in the form that is compared. */
function reach(rules: ScopeRules, scopes: Iterable<string>): Set<string> {
  const includes = new Map(
    Object.entries(rules.scopeIncludes ?? {}).map(([scope, included]) => [comparable(rules, scope), included]),
  )
  const known = new Set<string>()
  const further = [...scopes]
  for (let scope = further.pop(); scope !== undefined; scope = further.pop()) {
    const one = comparable(rules, scope)
    if (known.has(one)) continue
    known.add(one)
    further.push(...(includes.get(one) ?? []))
  }
  return known
}

function comparable({ scopePrefix = '' }: ScopeRules, scope: string): string {
  return scopePrefix !== '' && scope.startsWith(scopePrefix) ? scope.slice(scopePrefix.length) : scope
}

/** Names needs: `a`, or `a or b` where one is enough. */
export function wordsOfNeeds(needs: NeededScopes): string[] {
  return [...new Set(needs.map((anyOf) => anyOf.join(' or ')))]
}
