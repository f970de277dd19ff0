import type { Flaw } from './flaw.ts'
import type { ProviderFileOutline, ProviderObject } from './format/provider-file.ts'

const needsOAuth = 'needs an authentication method with `scheme: oauth2`'

function usesOAuth({ authentication = [] }: ProviderFileOutline): boolean {
  return authentication.some(({ scheme }) => scheme === 'oauth2')
}

/** Refuses scopes of an object whose accounts have none. */
export function lintObjectScopes({ scopes }: ProviderObject, file: ProviderFileOutline): Flaw[] {
  return scopes === undefined || usesOAuth(file) ? [] : [{ path: ['scopes'], message: needsOAuth }]
}

/** Refuses scopes of webhooks without OAuth, and a scope that includes itself. */
export function lintFileScopes(file: ProviderFileOutline): Flaw[] {
  const flaws: Flaw[] = []
  if (file.webhooks?.scopes !== undefined && !usesOAuth(file))
    flaws.push({ path: ['webhooks', 'scopes'], message: needsOAuth })
  for (const [at, scheme] of (file.authentication ?? []).entries()) {
    if (scheme.scheme !== 'oauth2') continue
    for (const [scope, included] of Object.entries(scheme.scopeIncludes ?? {}))
      if (included.includes(scope))
        flaws.push({ path: ['authentication', at, 'scopeIncludes', scope], message: 'includes itself' })
  }
  return flaws
}
