import { safeText } from '../tools/index.ts'
import type { AgentClient } from './agent-client.ts'
import { isRedirectUri, redirectTarget } from './redirect-uri.ts'

const redirectUrisMax = 20

/** Returns what is wrong with metadata of a client (RFC 7591, 2), in sentences without its values. */
export function metadataIssues(metadata: Record<string, unknown>): string[] {
  const {
    redirect_uris: uris,
    client_name: name,
    grant_types: grants = ['authorization_code'],
    response_types: responses = ['code'],
  } = metadata
  const issues = redirectIssues(uris)
  if (name !== undefined && typeof name !== 'string') issues.push('client_name must be a text.')
  if (!Array.isArray(grants) || !grants.includes('authorization_code'))
    issues.push('grant_types must include authorization_code.')
  if (!Array.isArray(responses) || !responses.includes('code')) issues.push('response_types must include code.')
  return issues
}

export function redirectIssues(uris: unknown): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > redirectUrisMax)
    return [`redirect_uris must list 1 to ${redirectUrisMax} addresses.`]
  return uris.every((uri) => typeof uri === 'string' && isRedirectUri(uri))
    ? []
    : [
        'Each of redirect_uris must be https, http of localhost, or a private-use scheme, without user and fragment, in ASCII.',
      ]
}

/** Returns the name and the redirect URIs of metadata without issues. */
export function clientMetadata(metadata: Record<string, unknown>): Pick<AgentClient, 'name' | 'redirectUris'> {
  const redirectUris = metadata['redirect_uris'] as string[]
  const { client_name: name } = metadata
  // People see it: one short line, and nothing that looks like another part of the page.
  const shown = typeof name === 'string' ? safeText(name, 60) : undefined
  return { name: shown ?? redirectTarget(redirectUris[0] ?? '').host, redirectUris }
}
