import { type ProviderEntry, providerUrl } from '@mortise/providers'
import { connectionValuesOf } from './checked-account.ts'
import type { CodeGrant } from './code-grant.ts'
import type { Flow } from './flow.ts'
import { FlowFailure } from './flow-failure.ts'

/**
 * Checks that the authorization response names the provider that the flow requested as its issuer (RFC 9207). The
 * expected issuer is the one that was looked up, or the one in the provider file. Without one, the issuer must share
 * the origin of one of the provider's endpoints. A server that announces the parameter must send it.
 *
 * @throws FlowFailure
 */
export function assertIssuer(entry: ProviderEntry, grant: CodeGrant, flow: Flow, iss: string | undefined): void {
  if (iss === undefined && !flow.server?.namesIssuer) return
  if (!isIssuer(entry, grant, flow, iss ?? ''))
    throw new FlowFailure('wrong_issuer', `The response did not come from ${entry.displayName}. Nothing was connected.`)
}

function isIssuer(entry: ProviderEntry, grant: CodeGrant, flow: Flow, iss: string): boolean {
  const expected = flow.server?.issuer ?? grant.issuer
  if (expected !== undefined) return iss === expected
  const values = connectionValuesOf(grant, { workspaceRef: flow.workspaceRef, providerMetadata: flow.providerMetadata })
  return [grant.authUrl, grant.tokenUrl].some(
    (url) => url !== undefined && URL.parse(iss)?.origin === endpointOrigin(entry, url, values),
  )
}

function endpointOrigin(
  entry: ProviderEntry,
  url: string,
  values: ReturnType<typeof connectionValuesOf>,
): string | undefined {
  try {
    return providerUrl(entry, url, values).origin
  } catch {
    // A token URL may need a value that only the token response provides.
    return undefined
  }
}
