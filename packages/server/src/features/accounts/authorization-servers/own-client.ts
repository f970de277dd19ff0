import { AuthorizationNotDiscovered, type DiscoveredAuthorization, registerClient } from '@mortise/providers'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { AddressGuard, Outbound } from '../../../kernel/net/index.ts'
import { findAppName } from '../../identity/projects/index.ts'
import type { OwnClient } from '../credentials/index.ts'
import { clientDocumentUrl, clientOf } from './client-document.ts'
import { discoveryNetwork } from './discovery-network.ts'
import { redirectUriOf } from './redirect-uri.ts'
import { findRegistration, insertRegistration, openRegistration } from './registration-store.ts'

export interface OwnClientServices {
  outbound: Outbound
  guard: AddressGuard
  keyring: Keyring
  now: () => Date
  newId: NewId
  publicUrl: string
}

/**
 * Returns the client that Mortise is at an authorization server without a provider app: its metadata document where the
 * server takes one, otherwise a registration, which the project has once.
 *
 * @throws AuthorizationNotDiscovered
 */
export async function ownClient(
  db: ProjectDb,
  services: OwnClientServices,
  server: DiscoveredAuthorization,
): Promise<OwnClient> {
  const { takesClientDocuments, clientAuthentication: methods, registrationEndpoint } = server
  // The server fetches the document.
  const hasDocument = takesClientDocuments && services.publicUrl.startsWith('https:')
  if (hasDocument && methods?.includes('none') !== false)
    return { kind: 'document', clientId: clientDocumentUrl(services, db.projectId) }
  if (registrationEndpoint === undefined)
    throw new AuthorizationNotDiscovered(
      'unusable',
      'The authorization server of the MCP server accepts no new applications. Ask the operator of this application to create a provider app.',
    )
  return await registeredClient(db, services, server)
}

/** Registrations that a service is making. */
const registering = new WeakMap<Outbound, Map<string, Promise<OwnClient>>>()

async function registeredClient(
  db: ProjectDb,
  services: OwnClientServices,
  server: DiscoveredAuthorization,
): Promise<OwnClient> {
  const at = { issuer: server.issuer, redirectUri: redirectUriOf(services) }
  const known = await findRegistration(db, { ...at, now: services.now() })
  if (known) return openRegistration(db, services, known)
  const pending = registering.get(services.outbound) ?? new Map<string, Promise<OwnClient>>()
  registering.set(services.outbound, pending)
  const key = JSON.stringify([db.projectId, at])
  const made = pending.get(key) ?? register(db, services, server, at).finally(() => pending.delete(key))
  pending.set(key, made)
  return await made
}

/** The first caller may leave while others wait: its signal does not count. */
async function register(
  db: ProjectDb,
  services: OwnClientServices,
  server: DiscoveredAuthorization,
  at: { issuer: string; redirectUri: string },
): Promise<OwnClient> {
  const network = discoveryNetwork(services, { project: db.projectId })
  const about = clientOf(services, await findAppName(db))
  const client = await registerClient(server, about, network.fetch)
  const row = await insertRegistration(db, services, { id: services.newId(), ...at, client })
  return openRegistration(db, services, row)
}
