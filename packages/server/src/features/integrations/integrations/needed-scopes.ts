import type { IntegrationContent } from '@mortise/manifest'
import { lackingScopes, type ProviderEntry, type ScopeAction, scopeRulesOf, scopesOfObject } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { listIntegrationsOf } from './store.ts'

/** A need of one object: one of these OAuth scopes. */
export interface ObjectNeed {
  objectName: string
  action: ScopeAction
  anyOf: string[]
}

/** The objects of an integration, or of one installation of it. */
export type UsedObjects = Pick<IntegrationContent, 'module'> & {
  [action in ScopeAction]?: { objects: readonly { objectName: string }[] } | undefined
}

/** Returns the OAuth scopes that these objects need, as far as the provider file says. */
export function neededScopes(entry: ProviderEntry, used: UsedObjects): ObjectNeed[] {
  return (['read', 'write', 'delete', 'subscribe'] as const).flatMap((action) =>
    (used[action]?.objects ?? []).flatMap(({ objectName }) =>
      (scopesOfObject(entry, used.module, objectName)[action] ?? []).map((anyOf) => ({
        objectName,
        action,
        anyOf: [...anyOf],
      })),
    ),
  )
}

/**
 * Returns the scopes that Mortise asks for in addition to these: what the integrations of the project need, at a
 * provider that grants scopes on request.
 */
export async function scopesOnDemand(db: ProjectDb, entry: ProviderEntry, own: readonly string[]): Promise<string[]> {
  const rules = scopeRulesOf(entry)
  if (!rules?.scopesOnDemand || !entry.objectScopes) return []
  const integrations = await listIntegrationsOf(db, { provider: entry.name })
  const needs = integrations.flatMap(({ content }) => neededScopes(entry, content).map(({ anyOf }) => anyOf))
  let further = [...new Set(lackingScopes(rules, needs, own).flatMap(([first]) => first ?? []))]
  // A scope that another one includes is left out.
  for (const scope of further) {
    const others = further.filter((one) => one !== scope)
    if (lackingScopes(rules, [[scope]], [...own, ...others]).length === 0) further = others
  }
  return further
}
