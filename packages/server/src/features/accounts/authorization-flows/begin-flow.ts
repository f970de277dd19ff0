import { hash } from 'node:crypto'
import { schemeName } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type OwnClientServices, redirectUriOf } from '../authorization-servers/index.ts'
import { authorizationUrl } from './authorization-url.ts'
import { type CheckedAccount, connectionValuesOf } from './checked-account.ts'
import { takesChallenge } from './code-grant.ts'
import type { WaitingPage } from './connect-page/waiting-page.ts'
import { type FlowEnd, type FlowPurpose, keepFlow, newFlowSecret } from './flow.ts'
import { flowClient } from './flow-client.ts'

export interface NewFlow {
  account: CheckedAccount
  purpose: FlowPurpose
  /** Whether it belongs to the browser that opens the URL. */
  bound: boolean
  openerOrigin: string | undefined
  askedBy: string
  /** The page of ours that the browser goes back to at the end. */
  page?: WaitingPage
  /** Where the flow ends if components started it. */
  end?: FlowEnd
  signal: AbortSignal
}

/**
 * Begins a flow. Answers the URL to open in a browser: the provider's, or one of ours that leads there with a cookie.
 *
 * @throws InvalidInput, AuthorizationServerUnusable, AuthorizationServerUnavailable
 */
export async function beginFlow(
  db: ProjectDb,
  services: OwnClientServices,
  { account, purpose, bound, openerOrigin, askedBy, page, end, signal }: NewFlow,
): Promise<string> {
  const { entry, grant, workspaceRef, providerMetadata } = account
  const connectionId = purpose.kind === 'reconnect' ? purpose.connectionId : undefined
  const { app, server, client, clientId, scopes } = await flowClient(db, services, account, { connectionId, signal })
  const state = newFlowSecret()
  const verifier = takesChallenge(grant) ? newFlowSecret() : undefined
  const redirectUri = redirectUriOf(services)
  const url = authorizationUrl({
    entry,
    grant,
    app,
    clientId,
    scopes,
    server,
    values: connectionValuesOf(grant, account),
    redirectUri,
    state,
    isAgain: purpose.kind === 'reconnect',
    challenge: verifier && hash('sha256', verifier, 'base64url'),
  })
  await keepFlow(db, services, {
    state,
    bound,
    flow: {
      purpose,
      provider: entry.name,
      schemeName: schemeName(grant),
      ...(workspaceRef !== undefined && { workspaceRef }),
      ...(providerMetadata && { providerMetadata }),
      ...(app && { providerAppId: app.id }),
      ...(server && { server, scopes }),
      ...(client && { client }),
      clientId,
      redirectUri,
      ...(verifier !== undefined && { verifier }),
      authorizationUrl: url.href,
      ...(openerOrigin !== undefined && { openerOrigin }),
      ...(page && { page }),
      ...(end && { end }),
      askedBy,
    },
  })
  return bound ? `${redirectUri}/start?${new URLSearchParams({ state })}` : url.href
}
