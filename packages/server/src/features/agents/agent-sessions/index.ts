import type { Database } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import { mcpUrl, resourceMetadataUrl } from './addresses.ts'
import { deleteExpiredClients } from './client-store.ts'
import { beginAgentSignIn } from './endpoints/begin-agent-sign-in.ts'
import { beginManagementSignIn } from './endpoints/begin-management-sign-in.ts'
import { completeAgentSignIn } from './endpoints/complete-agent-sign-in.ts'
import { continueAgentSignIn } from './endpoints/continue-agent-sign-in.ts'
import { deleteAgentSession } from './endpoints/delete-agent-session.ts'
import { exchangeAgentToken } from './endpoints/exchange-agent-token.ts'
import { exchangeManagementToken } from './endpoints/exchange-management-token.ts'
import { getAgentSignIn } from './endpoints/get-agent-sign-in.ts'
import { getAuthorizationServerMetadata } from './endpoints/get-authorization-server-metadata.ts'
import { getManagementResourceMetadata } from './endpoints/get-management-resource-metadata.ts'
import { getManagementServerMetadata } from './endpoints/get-management-server-metadata.ts'
import { getOpenIdConfiguration } from './endpoints/get-open-id-configuration.ts'
import { getOpenIdConfigurationOfIssuer } from './endpoints/get-open-id-configuration-of-issuer.ts'
import { getProtectedResourceMetadata } from './endpoints/get-protected-resource-metadata.ts'
import { listAgentSessions } from './endpoints/list-agent-sessions.ts'
import { refuseAgentSignIn } from './endpoints/refuse-agent-sign-in.ts'
import { registerAgentClient } from './endpoints/register-agent-client.ts'
import { registerManagementClient } from './endpoints/register-management-client.ts'
import { revokeAgentToken } from './endpoints/revoke-agent-token.ts'
import { revokeManagementToken } from './endpoints/revoke-management-token.ts'
import { showAgentConsentPage } from './endpoints/show-agent-consent-page.ts'
import { submitAgentConsent } from './endpoints/submit-agent-consent.ts'
import { deleteExpiredAgentSessions } from './session-store.ts'
import { findSignInProject } from './sign-in-project.ts'
import { deleteExpiredSignIns } from './sign-in-store.ts'
import { managementIssuer } from './token-issuer.ts'

export { createAgentTokens } from './agent-token.ts'

export const agentSessionsEndpoints = [
  getProtectedResourceMetadata,
  getAuthorizationServerMetadata,
  getOpenIdConfiguration,
  getOpenIdConfigurationOfIssuer,
  registerAgentClient,
  beginAgentSignIn,
  continueAgentSignIn,
  exchangeAgentToken,
  revokeAgentToken,
  getAgentSignIn,
  completeAgentSignIn,
  refuseAgentSignIn,
  listAgentSessions,
  deleteAgentSession,
  getManagementResourceMetadata,
  getManagementServerMetadata,
  registerManagementClient,
  beginManagementSignIn,
  showAgentConsentPage,
  submitAgentConsent,
  exchangeManagementToken,
  revokeManagementToken,
]

/** Returns where clients read how to sign in to the MCP server; undefined if the project has no sign-in page. */
export async function agentSignInMetadata(
  { projectIdOrName }: { projectIdOrName: string },
  services: { database: Database; publicUrl: string },
): Promise<string | undefined> {
  const project = await findSignInProject(services, projectIdOrName)
  return project && resourceMetadataUrl(services.publicUrl, mcpUrl(services.publicUrl, projectIdOrName))
}

/** Returns where clients read how to sign in to the MCP server for builders. */
export async function managementSignInMetadata(_: unknown, { publicUrl }: { publicUrl: string }): Promise<string> {
  return resourceMetadataUrl(publicUrl, managementIssuer(publicUrl).url)
}

/** Every ten minutes on every node: what has expired is deleted. */
export function agentSessionsTicks({ database, now }: { database: Database; now: () => Date }): Tick[] {
  return [
    {
      name: 'agent-sessions.expired',
      everyMs: 600_000,
      async run() {
        await deleteExpiredSignIns(database.system, now())
        await deleteExpiredAgentSessions(database.system, now())
        await deleteExpiredClients(database.system, now())
        return false
      },
    },
  ]
}
