import type { ProviderHttpResponse } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { scopesIn } from './scopes.ts'

/**
 * Returns the error of a response that asks for more scopes (RFC 6750, 3.1); undefined for any other response. The
 * credential is valid, but only the person of the account can grant what is missing.
 */
export async function insufficientScope({
  status,
  headers,
}: Pick<ProviderHttpResponse, 'status' | 'headers'>): Promise<ProviderError | undefined> {
  const challenge = headers['www-authenticate']
  if (status !== 403 || challenge === undefined) return undefined
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  const { error, scope = '' } = extractWWWAuthenticateParams(
    new Response(null, { headers: { 'www-authenticate': challenge } }),
  )
  if (error !== 'insufficient_scope') return undefined
  const missingScopes = scopesIn(scope.split(' '))
  const needed =
    missingScopes.length === 0
      ? 'more scopes than the account has granted'
      : `${missingScopes.length === 1 ? 'the scope' : 'the scopes'} ${missingScopes.join(', ')}, which the account has not granted`
  return new ProviderError('auth_invalidated', `The MCP server requires ${needed}. Authorize the account again.`, {
    missingScopes,
  })
}
