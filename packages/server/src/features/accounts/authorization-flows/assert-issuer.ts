import { type ProviderEntry, providerUrl } from '@mortise/providers'
import { placeOf } from './checked-account.ts'
import type { CodeGrant } from './code-grant.ts'
import type { Flow } from './flow.ts'
import { FlowFailure } from './flow-failure.ts'

/**
 * RFC 9207: who says in its answer who it is must be who was asked. What a provider calls itself stands in its file,
 * else its name lies on the origin of one of its endpoints.
 *
 * @throws FlowFailure
 */
export function assertIssuer(entry: ProviderEntry, grant: CodeGrant, flow: Flow, iss: string | undefined): void {
  if (iss === undefined) return
  const place = placeOf(grant, { workspaceRef: flow.workspaceRef, providerMetadata: flow.providerMetadata })
  const isOurs =
    grant.issuer !== undefined
      ? iss === grant.issuer
      : [grant.authUrl, grant.tokenUrl].some(
          (url) => url !== undefined && URL.parse(iss)?.origin === endpointOrigin(entry, url, place),
        )
  if (!isOurs)
    throw new FlowFailure('wrong_issuer', `The response did not come from ${entry.displayName}. Nothing was connected.`)
}

function endpointOrigin(entry: ProviderEntry, url: string, place: ReturnType<typeof placeOf>): string | undefined {
  try {
    return providerUrl(entry, url, place).origin
  } catch {
    // A token URL may take a value that only the tokens bring.
    return undefined
  }
}
