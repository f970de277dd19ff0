import type { Authentication, ProviderEntry } from '@mortise/providers'

/** OAuth by which a person grants access in a browser (RFC 6749, 4.1). */
export type CodeGrant = Extract<Authentication, { scheme: 'oauth2' }> & { authUrl: string }

/** How the provider does it; undefined where it does not, or where it is not known where. */
export function codeGrantOf(entry: ProviderEntry): CodeGrant | undefined {
  return entry.authentication.find(
    (scheme): scheme is CodeGrant =>
      scheme.scheme === 'oauth2' && authSchemeOf(scheme) !== undefined && scheme.authUrl !== undefined,
  )
}

/** The scheme of a connection that was made with it. */
export function authSchemeOf({
  grantType = 'authorizationCode',
}: Pick<CodeGrant, 'grantType'>): 'oauth2/authorizationCode' | 'oauth2/authorizationCodePKCE' | undefined {
  return grantType === 'authorizationCode' || grantType === 'authorizationCodePKCE' ? `oauth2/${grantType}` : undefined
}

/** Whether the provider is sent a challenge (RFC 7636): unless its file says that it chokes on one (decision 0021). */
export function takesChallenge({ grantType, pkce = true }: CodeGrant): boolean {
  return pkce || grantType === 'authorizationCodePKCE'
}
