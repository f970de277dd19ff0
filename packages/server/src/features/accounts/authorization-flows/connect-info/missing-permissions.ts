import type { IntegrationContent } from '@mortise/manifest'
import { type Catalogue, lackingScopes, type ScopeRules, scopeRulesOf, withScheme } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { listIntegrationsOf, neededScopes, objectNameOf } from '../../../integrations/integrations/index.ts'
import { scopesOfApp } from '../../../integrations/provider-apps/index.ts'
import { type ConnectionRow, missingScopes, scopesOnDemandFor } from '../../connections/index.ts'
import type { MissingPermission } from './model.ts'

/** Scopes and permissions that an account did not grant. */
export interface Missing {
  scopes: string[]
  permissions: MissingPermission[]
}

/**
 * Returns a function that finds out what accounts did not grant. It requests what the accounts of one provider app have
 * in common once.
 *
 * @param integrationIds the only integrations whose needs count; undefined or empty for all of the project, as for a
 *   session that names only providers
 */
export function missingOf(
  db: ProjectDb,
  { catalogue }: { catalogue: Catalogue },
  integrationIds: readonly string[] | undefined,
): (row: ConnectionRow, granted: readonly string[]) => Promise<Missing> {
  const only = integrationIds && integrationIds.length > 0 ? new Set(integrationIds) : undefined
  const onDemandFor = memoized(
    (row: ConnectionRow) => `${row.provider} ${row.app_id}`,
    (row) => scopesOnDemandFor(db, catalogue, row),
  )
  const integrationsFor = memoized(
    ({ provider }: ConnectionRow) => provider,
    async ({ provider }) => {
      if (catalogue.find(provider)?.objectScopes === undefined) return []
      const rows = await listIntegrationsOf(db, { provider })
      return rows.filter(({ id }) => only?.has(id) ?? true).map(({ content }) => content)
    },
  )
  return async (row, granted) => {
    const [onDemand, integrations] = await Promise.all([onDemandFor(row), integrationsFor(row)])
    const scopes = missingScopes(catalogue, row, granted, onDemand)
    return { scopes, permissions: missingPermissions(catalogue, row, { granted, onDemand, scopes, integrations }) }
  }
}

/**
 * Returns what Mortise asked the account for and did not get, with what it is for. Scopes that an app may leave out,
 * such as those of `optional_scope`, count if an integration needs them. What the app does not ask for is the builder's
 * to repair: the account did not refuse it.
 */
function missingPermissions(
  catalogue: Catalogue,
  row: ConnectionRow,
  of: {
    granted: readonly string[]
    onDemand: readonly string[]
    /** What `missingScopes` returns. */
    scopes: readonly string[]
    integrations: readonly IntegrationContent[]
  },
): MissingPermission[] {
  const entry = catalogue.find(row.provider)
  if (!entry) return []
  const used = (row.scheme_name === null ? undefined : withScheme(entry, row.scheme_name)) ?? entry
  const rules = scopeRulesOf(used) ?? {}
  const texts = scopeTextsOf(used)
  const found = new Map<string, MissingPermission>()
  const permission = (scope: string) => {
    const description = Object.hasOwn(texts, scope) ? texts[scope] : undefined
    const known = found.get(scope) ?? { scope, ...(description !== undefined && { description }), neededFor: [] }
    found.set(scope, known)
    return known
  }
  const asked = [...scopesOfApp({ scopes: row.app_scopes, metadata: row.app_metadata }), ...of.onDemand]
  const granted = of.granted.flatMap((scope) => scope.split(/[\s,]/))
  for (const content of of.integrations)
    for (const { objectName, action, anyOf } of neededScopes(entry, content)) {
      if (lackingScopes(rules, [anyOf], granted).length === 0) continue
      const scope = askedFor(rules, anyOf, asked)
      if (scope === undefined) continue
      const isRequired =
        action === 'read' && content.read?.objects.find((one) => one.objectName === objectName)?.enabled === 'always'
      const { neededFor } = permission(scope)
      const known = neededFor.find((one) => one.objectName === objectName && one.action === action)
      if (known) known.isRequired ||= isRequired
      else neededFor.push({ objectName, displayName: objectNameOf(entry, content, objectName), action, isRequired })
    }
  for (const scope of of.scopes) permission(scope)
  return [...found.values()]
}

/** Returns the scope that Mortise requested for a need: one that the need names, or else a broader one. */
function askedFor(rules: ScopeRules, anyOf: readonly string[], asked: readonly string[]): string | undefined {
  return (
    asked.find((scope) => anyOf.includes(scope)) ??
    asked.find((scope) => lackingScopes(rules, [anyOf], [scope]).length === 0)
  )
}

function scopeTextsOf({ authentication }: Parameters<typeof scopeRulesOf>[0]): Readonly<Record<string, string>> {
  const oauth2 = authentication.find((one) => one.scheme === 'oauth2')
  return (oauth2 && 'scopeDescriptions' in oauth2 && oauth2.scopeDescriptions) || {}
}

function memoized<Key, Value>(nameOf: (key: Key) => string, load: (key: Key) => Promise<Value>) {
  const loaded = new Map<string, Promise<Value>>()
  return (key: Key): Promise<Value> => {
    const name = nameOf(key)
    const value = loaded.get(name) ?? load(key)
    loaded.set(name, value)
    return value
  }
}
