import { type Catalogue, lackingScopes, scopeRulesOf, scopesOfObject, wordsOfNeeds } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { findConnection, grantedScopes } from '../../accounts/connections/index.ts'
import { listIntegrationsOf, type MissingScope, neededScopes } from '../integrations/index.ts'
import { effectiveReadObjects } from './effective.ts'
import { type Installation, type InstallationRow, installationResource } from './resource.ts'

export interface ScopeServices {
  catalogue: Catalogue
  keyring: Keyring
}

/** Returns the scopes that installations need and their accounts did not grant, by id of the installation. */
export async function missingScopesOf(
  db: ProjectDb,
  services: ScopeServices,
  rows: readonly InstallationRow[],
): Promise<Map<string, MissingScope[]>> {
  const checked = rows.filter(
    ({ provider, auth_scheme: scheme }) =>
      scheme.startsWith('oauth2/authorizationCode') && services.catalogue.find(provider)?.objectScopes,
  )
  if (checked.length === 0) return new Map()
  const [granted, integrations] = await Promise.all([
    grantedScopes(db, services, [...new Set(checked.map(({ connection_id: id }) => id))]),
    listIntegrationsOf(db, { ids: [...new Set(checked.map(({ integration_id: id }) => id))] }),
  ])
  const contents = new Map(integrations.map(({ id, content }) => [id, content] as const))
  return new Map(
    checked.flatMap((row) => {
      const entry = services.catalogue.find(row.provider)
      const rules = entry && scopeRulesOf(entry)
      const scopes = granted.get(row.connection_id)
      const integration = contents.get(row.integration_id)
      if (!entry || !rules || !scopes || !integration) return []
      const needs = neededScopes(entry, usedObjects(integration, row.config_content))
      const missing = needs.filter(({ anyOf }) => lackingScopes(rules, [anyOf], scopes).length > 0)
      return missing.length === 0 ? [] : [[row.id, missing] as const]
    }),
  )
}

/** Converts rows to resources with the scopes that they lack. */
export async function withMissingScopes(
  db: ProjectDb,
  services: ScopeServices,
  rows: readonly InstallationRow[],
): Promise<Installation[]> {
  const missing = await missingScopesOf(db, services, rows)
  return rows.map((row) => installationResource(row, missing.get(row.id)))
}

/** Says which scopes an account did not grant that reading an object needs; undefined if none is known. */
export async function explainMissingScopes(
  db: ProjectDb,
  services: ScopeServices,
  of: { connectionId: string; module: string | undefined; objectName: string },
): Promise<string | undefined> {
  const connection = await findConnection(db, of.connectionId)
  const entry = connection && services.catalogue.find(connection.provider)
  const rules = entry && scopeRulesOf(entry)
  if (!entry?.objectScopes || !rules) return undefined
  const granted = (await grantedScopes(db, services, [of.connectionId])).get(of.connectionId)
  if (!granted) return undefined
  const needs = scopesOfObject(entry, of.module, of.objectName).read ?? []
  const missing = wordsOfNeeds(lackingScopes(rules, needs, granted))
  if (missing.length === 0) return undefined
  const scopes = `${missing.length === 1 ? 'the scope' : 'the scopes'} ${missing.join(', ')}`
  return `${entry.displayName} does not allow reading ${of.objectName}: the account did not grant ${scopes}. Connect the account again.`
}

type Contents = Parameters<typeof effectiveReadObjects>[0]

/** The objects that an installation uses of its integration. */
function usedObjects(
  integration: Awaited<ReturnType<typeof listIntegrationsOf>>[number]['content'],
  content: InstallationRow['config_content'] & Contents['content'],
): Parameters<typeof neededScopes>[1] {
  const reads = [...effectiveReadObjects({ integration, content }).values()]
  const deletes = Object.entries(content.write?.objects ?? {}).flatMap(([objectName, { deletionSettings }]) =>
    deletionSettings?.enabled === true ? [{ objectName }] : [],
  )
  return {
    ...(integration.module !== undefined && { module: integration.module }),
    read: { objects: reads.filter(({ disabled }) => !disabled) },
    write: integration.write,
    delete: { objects: deletes },
    subscribe: integration.subscribe,
  }
}
