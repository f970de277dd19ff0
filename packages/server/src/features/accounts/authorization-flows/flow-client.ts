import type { DiscoveredAuthorization } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput } from '../../../kernel/http/index.ts'
import type { ProviderAppRow } from '../../integrations/provider-apps/index.ts'
import {
  discoverServer,
  discoveryProblem,
  keptServer,
  type OwnClientServices,
  ownClient,
} from '../authorization-servers/index.ts'
import { grantedScopes } from '../connections/index.ts'
import { type AuthorizationServer, listNeededScopes, type OwnClient } from '../credentials/index.ts'
import { mayUseApp } from '../tokens/index.ts'
import { askedScopes } from './asked-scopes.ts'
import { type CheckedAccount, connectionValuesOf } from './checked-account.ts'

/** Who asks for an authorization, where, and for what. */
export interface FlowClient {
  clientId: string
  scopes: string[]
  app?: ProviderAppRow
  server?: AuthorizationServer
  client?: OwnClient
}

/**
 * Returns the client of a flow: the provider app, or one that Mortise is at the server that it looks up.
 *
 * @param connectionId the connection that is authorized again
 * @throws InvalidInput, AuthorizationServerUnusable, AuthorizationServerUnavailable
 */
export async function flowClient(
  db: ProjectDb,
  services: OwnClientServices,
  account: CheckedAccount,
  { connectionId, signal }: { connectionId: string | undefined; signal: AbortSignal },
): Promise<FlowClient> {
  const { entry, grant, app } = account
  if (grant.discover === undefined) {
    if (!app) throw new Error(`${entry.name} is authorized without a provider app.`)
    return { app, clientId: app.client_id, scopes: await askedScopes(db, entry, app) }
  }
  try {
    const values = connectionValuesOf(grant, account)
    const found = await discoverServer(db, services, { entry, values, issuer: grant.issuer }, signal)
    const server = keptServer(found)
    const scopes = await scopesOf(db, services, account, found, connectionId)
    if (app && mayUseApp(entry, server, app.allowed_hosts ?? []))
      return { app, clientId: app.client_id, server, scopes }
    if (account.isAppNamed) throw otherHost(new URL(server.tokenEndpoint).host)
    const client = await ownClient(db, services, found)
    return { clientId: client.clientId, server, client, scopes }
  } catch (error) {
    throw discoveryProblem(error)
  }
}

/**
 * Returns the scopes to ask for: those of the app, otherwise those that the MCP server names, otherwise those of the
 * file. An account that is authorized again keeps what it has granted, and grants what the server has missed.
 */
async function scopesOf(
  db: ProjectDb,
  services: OwnClientServices,
  { entry, grant, app }: CheckedAccount,
  found: DiscoveredAuthorization,
  connectionId: string | undefined,
): Promise<string[]> {
  const ofApp = app ? await askedScopes(db, entry, app) : []
  const named = found.scopes.length > 0 ? found.scopes : (grant.scopes ?? [])
  const before =
    connectionId === undefined
      ? []
      : [
          ...((await grantedScopes(db, services, [connectionId])).get(connectionId) ?? []),
          ...(await listNeededScopes(db, connectionId)),
        ]
  const scopes = [...(ofApp.length > 0 ? ofApp : named), ...before]
  if (scopes.length > 0 && found.hasOfflineAccess) scopes.push('offline_access')
  return [...new Set(scopes)]
}

function otherHost(host: string) {
  return new InvalidInput({
    issues: [
      {
        in: 'body',
        name: 'providerAppId',
        detail: `The authorization server is at ${host}, where the provider app may not be used.`,
        remedy:
          'Add the host to allowedHosts of the provider app, and send its client secret again, with an API key of scope full.',
      },
    ],
  })
}
