import {
  type ConnectionContext,
  type Connector,
  createConnector,
  NoConnector,
  type ProviderEntry,
  ProviderError,
  type ProviderHttp,
} from '@mortise/providers'
import type { ProjectDb } from '../../kernel/db/index.ts'
import { createEnvelope } from '../../kernel/seal/index.ts'
import type { ConnectionStatus, Services } from '../../services.ts'
import { openCredential, usableCredential } from './credential.ts'
import { findSealedConnection, type SealedConnectionRow } from './credential-store.ts'
import { metadataValues } from './model.ts'
import { ConnectionNotFound } from './problems.ts'
import { createProviderHttp } from './provider-http.ts'

type ConnectorServices = Pick<Services, 'outbound' | 'keyring' | 'catalogue' | 'now'>

/** What is known of a connection while a connector of it is in use. */
export interface OpenedConnection {
  readonly id: string
  readonly provider: string
  readonly groupRef: string
  readonly providerWorkspaceRef?: string
  /** The status as last known here; `reportUse` keeps it current. */
  status: ConnectionStatus
  /** Number of the credential that the connector sends. */
  readonly generation: number
  /** Until when the provider wants no requests; `rateLimited` keeps it current. */
  rateLimitedUntil: Date | undefined
}

/** What speaks to a provider as one connection: everything but the vocabulary of the provider's objects. */
export interface ProviderAccess {
  entry: ProviderEntry
  context: ConnectionContext
  /** Refuses every request as `auth_invalidated` while there is nothing to send. */
  http: ProviderHttp
  /** Whether there is a credential to send: an imported refresh token alone is none. */
  hasCredential: boolean
  connection: OpenedConnection
}

/**
 * Opens a connection's sealed credential; one statement. Hold the answer no longer than the work at hand.
 *
 * @param options.module module of the integration; the provider's default module when absent
 * @throws ConnectionNotFound when the project has no such connection
 * @throws NoConnector when the catalogue does not know its provider any more
 */
export async function openProviderAccess(
  db: ProjectDb,
  { outbound, keyring, catalogue, now }: ConnectorServices,
  connectionId: string,
  { module }: { module?: string | undefined } = {},
): Promise<ProviderAccess> {
  const row = await findSealedConnection(db, connectionId)
  if (!row) throw new ConnectionNotFound()
  const entry = catalogue.find(row.provider)
  if (!entry) throw new NoConnector(row.provider)
  const connection = openedConnection(row)
  const stored = openCredential(createEnvelope(keyring), db.projectId, row.connection_id, row.sealed)
  const credential = usableCredential(stored)
  return {
    entry,
    context: {
      metadata: metadataValues(row.provider_metadata),
      ...(module !== undefined && { module }),
      ...(row.provider_workspace_ref !== null && { workspaceRef: row.provider_workspace_ref }),
      credential: credential ?? { scheme: 'none' },
    },
    http: credential
      ? createProviderHttp(outbound, now, () => connection.rateLimitedUntil)
      : async () => {
          throw new ProviderError('auth_invalidated', 'The connection has no access token yet.')
        },
    hasCredential: credential !== undefined,
    connection,
  }
}

/**
 * A connector that reads as one connection. Tell `reportUse` how it went, and `rateLimited` when the provider asks to wait.
 *
 * @throws ConnectionNotFound
 * @throws NoConnector when nothing here says how to read from the provider
 * @throws InvalidInputs when the connection's metadata makes no usable base URL
 */
export async function openConnector(
  db: ProjectDb,
  services: ConnectorServices,
  connectionId: string,
  options: { module?: string | undefined } = {},
): Promise<{ connector: Connector; connection: OpenedConnection }> {
  const { entry, context, http, connection } = await openProviderAccess(db, services, connectionId, options)
  const connector = createConnector(entry, context, http, { now: () => services.now().getTime() })
  return { connector, connection }
}

function openedConnection(row: SealedConnectionRow): OpenedConnection {
  return {
    id: row.connection_id,
    provider: row.provider,
    groupRef: row.group_ref,
    ...(row.provider_workspace_ref !== null && { providerWorkspaceRef: row.provider_workspace_ref }),
    status: row.status,
    generation: row.generation,
    rateLimitedUntil: row.rate_limited_until ?? undefined,
  }
}
