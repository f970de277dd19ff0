import type { Authentication, ProviderEntry } from '@mortise/providers'

export type OAuth2Scheme = Extract<Authentication, { scheme: 'oauth2' }>

/** How the provider does OAuth 2.0; undefined where it does not. */
export function oauth2Scheme(entry: ProviderEntry): OAuth2Scheme | undefined {
  return entry.authentication.find((scheme): scheme is OAuth2Scheme => scheme.scheme === 'oauth2')
}
