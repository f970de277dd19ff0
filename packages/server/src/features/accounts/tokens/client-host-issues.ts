import {
  type Authentication,
  type ConnectionValues,
  clientUrl,
  HostNotAllowed,
  hostsOf,
  hostVariable,
  InvalidInputs,
  type ProviderEntry,
  requestUrls,
} from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'

type CodeGrant = Extract<Authentication, { scheme: 'oauth2' }>

/**
 * Returns an issue for each value that would use the provider app, or the tokens that it gets, at a host that neither
 * the provider's file nor the app names. Values that are not known yet are skipped: each use of the client secret
 * checks again.
 */
export function clientHostIssues(
  entry: ProviderEntry,
  { authUrl, tokenUrl, refreshUrl }: Pick<CodeGrant, 'authUrl' | 'tokenUrl' | 'refreshUrl'>,
  values: ConnectionValues,
  allowedHosts: readonly string[],
): Issue[] {
  const listed = requestUrls(entry).filter((url) => hostsOf(entry, hostVariable(url) ?? '') !== undefined)
  const issues = new Map<string, Issue>()
  for (const url of [authUrl, tokenUrl, refreshUrl, ...listed]) {
    if (url === undefined) continue
    try {
      clientUrl(entry, url, values, allowedHosts)
    } catch (error) {
      if (!(error instanceof InvalidInputs)) throw error
      if (!(error instanceof HostNotAllowed)) continue
      for (const { name, detail } of error.issues) issues.set(name, issueOf(entry, name, detail, values))
    }
  }
  return [...issues.values()]
}

function issueOf(entry: ProviderEntry, name: string, detail: string, values: ConnectionValues): Issue {
  const hosts = hostsOf(entry, name) ?? []
  const input = values.metadata[name]
  const isRef = name === 'workspace' && input === undefined
  const value = isRef ? values.workspaceRef : input
  return {
    in: 'body',
    name: isRef ? 'providerWorkspaceRef' : `providerMetadata.${name}`,
    ...(value !== undefined && { value }),
    detail,
    remedy: `${hosts.length > 0 ? `Send one of ${hosts.join(', ')}. For another host, add` : 'Add'} it to allowedHosts of the provider app, and send its client secret again, with an API key of scope full.`,
  }
}
