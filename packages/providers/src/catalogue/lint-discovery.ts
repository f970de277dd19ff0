import type { Flaw } from './flaw.ts'
import type { OAuth2Authentication } from './format/oauth2-authentication.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'

/** Keys whose values come from the server. */
const discovered = [
  'authUrl',
  'tokenUrl',
  'refreshUrl',
  'resource',
  'audience',
  'clientAuthentication',
  'pkce',
] as const

/** Checks a scheme whose authorization server is looked up. */
export function lintDiscovery(
  path: Flaw['path'],
  scheme: OAuth2Authentication,
  { mcp }: Pick<ProviderFileOutline, 'mcp'>,
): Flaw[] {
  if (scheme.discover === undefined)
    return scheme.scopes === undefined ? [] : [{ path: [...path, 'scopes'], message: 'needs the key "discover"' }]
  const flaws: Flaw[] = discovered
    .filter((key) => scheme[key] !== undefined)
    .map((key) => ({ path: [...path, key], message: 'must not be set with "discover"' }))
  if (scheme.grantType !== undefined && scheme.grantType !== 'authorizationCodePKCE')
    flaws.push({ path: [...path, 'grantType'], message: 'must be "authorizationCodePKCE" with "discover"' })
  if (mcp === undefined)
    flaws.push({ path: [...path, 'discover'], message: 'needs the key "mcp" of the file, which names the server' })
  return flaws
}
