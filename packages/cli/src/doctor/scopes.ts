import { type Check, ok, warning } from './check.ts'

/** More than these are read in lists. */
const namedMax = 5

export const scopes: Check = {
  name: 'scopes',
  needs: 'project',
  async run({ mortise, terminal: { signal } }) {
    const ofApps: string[] = []
    const incomplete: string[] = []
    const seen = new Set<string>()
    for await (const { provider, missingScopes = [], missingParams = [] } of mortise.each(
      'listProviderApps',
      {},
      { signal },
    )) {
      // The newest app of a provider is used by default, and comes first.
      if (!seen.has(provider) && missingParams.length > 0) incomplete.push(`${provider}: ${missingParams.join(', ')}`)
      if (!seen.has(provider)) ofApps.push(...missingScopes.map((missing) => `${provider}: ${words(missing)}`))
      seen.add(provider)
    }
    const ofAccounts: string[] = []
    const query = { query: { includeMissingScopes: true } }
    for await (const installation of mortise.each('listInstallationsForProject', query, { signal })) {
      const { id, connection, group, missingScopes = [] } = installation
      const name = `${group?.groupRef ?? id} at ${connection.provider}`
      ofAccounts.push(...missingScopes.map((missing) => `${name}: ${words(missing)}`))
    }
    const findings = [
      ...(incomplete.length > 0
        ? [
            warning(
              `Provider apps lack settings that their providers require (${listed(incomplete)}).`,
              'Add them: `mortise update provider-app ID --param-file NAME=PATH`. Until then, every request fails.',
            ),
          ]
        : []),
      ...(ofApps.length > 0
        ? [
            warning(
              `Provider apps lack OAuth scopes that integrations need (${listed(ofApps)}).`,
              'Add the scopes to your app at the provider, then name all of them: `mortise update provider-app ID --scope SCOPE`.',
            ),
          ]
        : []),
      ...(ofAccounts.length > 0
        ? [
            warning(
              `Accounts did not grant OAuth scopes that installations need (${listed(ofAccounts)}).`,
              'Have these customers connect again, after the provider app lists the scopes.',
            ),
          ]
        : []),
    ]
    return findings.length > 0 ? findings : [ok('No OAuth scope is known to be missing.')]
  },
}

function words({ objectName, action, anyOf }: { objectName: string; action: string; anyOf: string[] }): string {
  return `${anyOf.join(' or ')} to ${action} ${objectName}`
}

function listed(all: readonly string[]): string {
  const shown = [...new Set(all)]
  return `${shown.slice(0, namedMax).join('; ')}${shown.length > namedMax ? '; …' : ''}`
}
