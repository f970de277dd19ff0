import type { MissingScopes } from '@mortise/manifest'
import {
  type Catalogue,
  lackingScopes,
  type ObjectScopes,
  type ProviderEntry,
  scopeActions,
  scopeRulesOf,
  wordsOfNeeds,
} from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
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
  const rules = scopeRulesOf(entry)
  const listed = scopesOfApp(app)
  if (!rules || !entry.objectScopes || rules.scopesOnDemand) return {}
  if (listed.length === 0 && rules.scopesRequired !== true) return {}
  const missing = (object: ObjectScopes) =>
    Object.fromEntries(
      scopeActions.flatMap((action) => {
        const words = wordsOfNeeds(lackingScopes(rules, object[action] ?? [], listed))
        return words.length === 0 ? [] : [[action, words]]
      }),
    )
  return mapValues(entry.objectScopes, (objects) => mapValues(objects, missing))
}

/** The same for all providers of a project, by the newest app of each. */
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
