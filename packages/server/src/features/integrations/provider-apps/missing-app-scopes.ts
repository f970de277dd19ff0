import type { MissingScopes } from '@mortise/manifest'
import {
  type Catalogue,
  lackingScopes,
  type ObjectScopes,
  type ProviderEntry,
  type ScopeRules,
  scopeActions,
  scopeRulesOf,
  wordsOfNeeds,
} from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { listIntegrationsOf, type MissingScope, neededScopes } from '../integrations/index.ts'
import type { ProviderAppRow } from './model.ts'
import { listProviderAppRows } from './store.ts'

type AppScopes = Pick<ProviderAppRow, 'scopes' | 'metadata'>
type MissingOfModules = MissingScopes[string]

/** Returns the scopes that an app asks customers for, those that they may refuse included. */
export function scopesOfApp({ scopes, metadata }: AppScopes): string[] {
  const further = Object.entries(metadata?.authQueryParams ?? {}).flatMap(([name, values]) =>
    /(^|_)scopes?$/.test(name) ? values.flatMap((value) => value.split(/[\s,]/)) : [],
  )
  return [...(scopes ?? []), ...further].filter((scope) => scope !== '')
}

/**
 * Returns the scopes that objects need and the app does not list. Says nothing of an app without scopes, which the
 * provider then decides, nor where Mortise itself asks for what integrations need.
 */
export function missingAppScopes(entry: ProviderEntry, app: AppScopes): MissingOfModules {
  const rules = checkedRules(entry, app)
  const listed = scopesOfApp(app)
  if (!rules || !entry.objectScopes) return {}
  const missing = (object: ObjectScopes) =>
    Object.fromEntries(
      scopeActions.flatMap((action) => {
        const words = wordsOfNeeds(lackingScopes(rules, object[action] ?? [], listed))
        return words.length === 0 ? [] : [[action, words]]
      }),
    )
  return mapValues(entry.objectScopes, (objects) => mapValues(objects, missing))
}

/** Returns the rules to compare scopes by; undefined if the scopes of the app say nothing. */
function checkedRules(entry: ProviderEntry, app: AppScopes): ScopeRules | undefined {
  const rules = scopeRulesOf(entry)
  if (!rules || rules.scopesOnDemand) return undefined
  return scopesOfApp(app).length > 0 || rules.scopesRequired === true ? rules : undefined
}

/** Returns the scopes that the integrations of the project need and apps do not list, by id of the app. */
export async function scopesThatAppsLack(
  db: ProjectDb,
  { catalogue }: { catalogue: Pick<Catalogue, 'find'> },
  apps: readonly ProviderAppRow[],
): Promise<Map<string, MissingScope[]>> {
  const checked = apps.flatMap((app) => {
    const entry = catalogue.find(app.provider)
    const rules = entry?.objectScopes && checkedRules(entry, app)
    return entry && rules ? [{ app, entry, rules }] : []
  })
  const providers = [...new Set(checked.map(({ entry }) => entry.name))]
  const found = await Promise.all(providers.map((provider) => listIntegrationsOf(db, { provider })))
  const integrations = new Map(providers.map((provider, at) => [provider, found[at] ?? []] as const))
  return new Map(
    checked.flatMap(({ app, entry, rules }) => {
      const needs = (integrations.get(entry.name) ?? []).flatMap(({ content }) => neededScopes(entry, content))
      const missing = needs.filter(({ anyOf }) => lackingScopes(rules, [anyOf], scopesOfApp(app)).length > 0)
      const once = [...new Map(missing.map((one) => [JSON.stringify(one), one])).values()]
      return once.length === 0 ? [] : [[app.id, once] as const]
    }),
  )
}

/** Returns what `missingAppScopes` does for all providers of a project, by the newest app of each. */
export async function missingScopesOfApps(
  db: ProjectDb,
  { catalogue }: { catalogue: Pick<Catalogue, 'find'> },
): Promise<MissingScopes> {
  const apps = await listProviderAppRows(db, { after: undefined, limit: undefined })
  const newest = new Map(apps.toReversed().map((app) => [app.provider, app] as const))
  return Object.fromEntries(
    [...newest].flatMap(([provider, app]) => {
      const entry = catalogue.find(provider)
      return entry ? [[provider, missingAppScopes(entry, app)] as const] : []
    }),
  )
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
