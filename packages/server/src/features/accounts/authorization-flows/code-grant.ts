import type { Authentication, ProviderEntry } from '@mortise/providers'

/** OAuth 2.0 authorization code grant: a person grants access in a browser (RFC 6749, 4.1). */
export type CodeGrant = Extract<Authentication, { scheme: 'oauth2' }>

/**
 * Returns the provider's code grant; undefined if it has none, or if its authorization URL is unknown and not looked
 * up.
 */
export function codeGrantOf(entry: ProviderEntry): CodeGrant | undefined {
  return entry.authentication.find(
    (scheme): scheme is CodeGrant =>
      scheme.scheme === 'oauth2' &&
      authSchemeOf(scheme) !== undefined &&
      (scheme.authUrl !== undefined || scheme.discover !== undefined),
  )
}

/** Returns the `authScheme` of connections that use this grant. */
export function authSchemeOf({
  grantType = 'authorizationCode',
}: Pick<CodeGrant, 'grantType'>): 'oauth2/authorizationCode' | 'oauth2/authorizationCodePKCE' | undefined {
  return grantType === 'authorizationCode' || grantType === 'authorizationCodePKCE' ? `oauth2/${grantType}` : undefined
}

/**
 * Returns whether to send a code challenge (RFC 7636): always, unless the provider's file says that it fails on one
 * (decision 0021).
 */
export function takesChallenge({ grantType, pkce = true }: CodeGrant): boolean {
  return pkce || grantType === 'authorizationCodePKCE'
}
