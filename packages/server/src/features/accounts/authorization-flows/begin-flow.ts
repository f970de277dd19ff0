import { hash } from 'node:crypto'
import { schemeName } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { askedScopes } from './asked-scopes.ts'
import { authorizationUrl } from './authorization-url.ts'
import { type CheckedAccount, connectionValuesOf } from './checked-account.ts'
import { takesChallenge } from './code-grant.ts'
import type { WaitingPage } from './connect-page/waiting-page.ts'
import { type FlowEnd, type FlowPurpose, keepFlow, newFlowSecret } from './flow.ts'
import { redirectUriOf } from './redirect-uri.ts'

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
}

/**
 * Begins a flow. Answers the URL to open in a browser: the provider's, or one of ours that leads there with a cookie.
 */
export async function beginFlow(
  db: ProjectDb,
  services: { keyring: Keyring; now: () => Date; publicUrl: string },
  { account, purpose, bound, openerOrigin, askedBy, page, end }: NewFlow,
): Promise<string> {
  const { entry, grant, app, workspaceRef, providerMetadata } = account
  const scopes = await askedScopes(db, entry, app)
  const state = newFlowSecret()
  const verifier = takesChallenge(grant) ? newFlowSecret() : undefined
  const redirectUri = redirectUriOf(services)
  const url = authorizationUrl({
    entry,
    grant,
    app: { ...app, scopes },
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
      providerAppId: app.id,
      clientId: app.client_id,
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
