import type { ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import { clientOfApp, findProviderApp } from '../../integrations/provider-apps/index.ts'
import { forgetRegistration, keepRegistration } from '../authorization-servers/index.ts'
import {
  clientOfOwn,
  requestTokens,
  type TokenAnswer,
  type TokenClient,
  TokenRefused,
  TokenUnavailable,
} from '../tokens/index.ts'
import { connectionValuesOf } from './checked-account.ts'
import type { CodeGrant } from './code-grant.ts'
import type { Flow } from './flow.ts'
import { FlowFailure } from './flow-failure.ts'

/** Exchanges the code for tokens, as the client that the code was issued to. @throws FlowFailure */
export async function exchangeCode(
  db: ProjectDb,
  services: { outbound: Outbound; now: () => Date; keyring: Keyring },
  {
    entry,
    grant,
    flow,
    code,
    signal,
  }: { entry: ProviderEntry; grant: CodeGrant; flow: Flow; code: string; signal: AbortSignal },
): Promise<TokenAnswer> {
  const client = await clientOfFlow(db, services, flow)
  const { metadata, workspaceRef } = connectionValuesOf(grant, {
    workspaceRef: flow.workspaceRef,
    providerMetadata: flow.providerMetadata,
  })
  try {
    const tokens = await requestTokens(
      services,
      {
        entry,
        metadata,
        ...(workspaceRef !== undefined && { workspaceRef }),
        client,
        ...(flow.server && { server: flow.server }),
        grant: {
          kind: 'authorizationCode',
          code,
          redirectUri: flow.redirectUri,
          ...(flow.verifier !== undefined && { verifier: flow.verifier }),
        },
      },
      { signal, project: db.projectId },
    )
    await keepRegistration(db, flow.client, services.now())
    return tokens
  } catch (cause) {
    // The code belongs to this client, so the next flow registers another one.
    if (flow.client?.kind === 'registered' && cause instanceof TokenRefused && cause.error === 'invalid_client') {
      await forgetRegistration(db, flow.client)
      throw new FlowFailure('client_forgotten', `${entry.displayName} no longer knows this application. Start again.`, {
        cause,
      })
    }
    if (cause instanceof TokenRefused)
      throw new FlowFailure(cause.error, `${entry.displayName} refused access. ${tokenRemedy(cause.error)}`, {
        cause,
      })
    if (cause instanceof TokenUnavailable)
      throw new FlowFailure('unavailable', `${entry.displayName} is not responding. Try again later.`, { cause })
    throw cause
  }
}

/** @throws FlowFailure */
async function clientOfFlow(
  db: ProjectDb,
  { keyring }: { keyring: Keyring },
  { client, providerAppId, provider, clientId }: Flow,
): Promise<TokenClient> {
  if (client) return clientOfOwn(client)
  const app = await findProviderApp(db, { id: providerAppId, provider })
  if (!app || app.client_id !== clientId)
    throw new FlowFailure('app_changed', 'The application changed in the meantime. Start again.')
  return clientOfApp(keyring, app)
}

function tokenRemedy(error: string): string {
  return error === 'invalid_grant'
    ? 'Start again.'
    : 'Ask the operator of this application to check the client id and secret of its provider app.'
}
