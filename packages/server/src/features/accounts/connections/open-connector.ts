import {
  type ConnectionContext,
  type Connector,
  createConnector,
  type LiveCredential,
  type ProviderEntry,
  ProviderError,
  type ProviderHttp,
} from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { ConnectionStatus, LiveConnection, Services } from '../../../services.ts'
import { CredentialRefused, CredentialUnavailable } from './live/renewal-errors.ts'
import { createProviderHttp } from './provider-http.ts'

type ConnectorServices = Pick<Services, 'outbound' | 'now' | 'liveConnections'>

/** What is known of a connection while a connector of it is in use. */
export interface OpenedConnection {
  readonly id: string
  readonly provider: string
  readonly groupRef: string
  readonly providerWorkspaceRef?: string
  /** The status as last known here; `reportUse` keeps it current. */
  status: ConnectionStatus
  /** Number of the credential that the connector sent last. */
  generation: number
  /** Until when the provider wants no requests; `rateLimited` keeps it current. */
  rateLimitedUntil: Date | undefined
  /**
   * How long a request of this method would wait now, in the background, for its turn under the rate limits of the
   * provider's file.
   */
  turnInMs(method: string): number
}

export interface OpeningOptions {
  /** Module of the integration; the provider's default module when absent. */
  module?: string | undefined
  /**
   * Nobody waits for the answers: its requests give way to others under the provider's rate limit, and wait longer for
   * their turns.
   */
  isPatient?: boolean
}

/** What speaks to a provider as one connection: everything but the vocabulary of the provider's objects. */
export interface ProviderAccess {
  entry: ProviderEntry
  /** Its credential is the one of now: renewed before it ends, and once when the provider refuses it. */
  context: ConnectionContext & { credential: LiveCredential }
  http: ProviderHttp
  connection: OpenedConnection
}

/**
 * Opens a connection for use; no statement while this node knows it. Requests fail as `auth_invalidated` where no
 * credential can be had, and as `provider_5xx` while the provider cannot be asked for one.
 *
 * @throws ConnectionNotFound when the project has no such connection
 * @throws NoConnector when the catalogue does not know its provider any more
 */
export async function openProviderAccess(
  db: ProjectDb,
  { outbound, now, liveConnections }: ConnectorServices,
  connectionId: string,
  { module, isPatient = false }: OpeningOptions = {},
): Promise<ProviderAccess> {
  const live = await liveConnections.open(db.projectId, connectionId)
  const connection = openedConnection(live)
  return {
    entry: live.entry,
    context: {
      ...live.context,
      ...(module !== undefined && { module }),
      credential: credentialOf(live, connection),
    },
    http: createProviderHttp({
      outbound,
      now,
      project: db.projectId,
      rateLimitedUntil: () => live.rateLimitedUntil,
      pace: live.pace,
      isPatient,
    }),
    connection,
  }
}

/**
 * A connector that reads as one connection. Tell `reportUse` how it went, and `rateLimited` when the provider asks to
 * wait.
 *
 * @throws ConnectionNotFound
 * @throws NoConnector when nothing here says how to read from the provider
 * @throws InvalidInputs when the connection's metadata makes no usable base URL
 */
export async function openConnector(
  db: ProjectDb,
  services: ConnectorServices,
  connectionId: string,
  options: OpeningOptions = {},
): Promise<{ connector: Connector; connection: OpenedConnection }> {
  const { entry, context, http, connection } = await openProviderAccess(db, services, connectionId, options)
  const connector = createConnector(entry, context, http, { now: () => services.now().getTime() })
  return { connector, connection }
}

function openedConnection(live: LiveConnection): OpenedConnection {
  const { workspaceRef } = live.context
  return {
    id: live.id,
    provider: live.entry.name,
    groupRef: live.groupRef,
    ...(workspaceRef !== undefined && { providerWorkspaceRef: workspaceRef }),
    status: live.status,
    generation: live.generation,
    get rateLimitedUntil() {
      return live.rateLimitedUntil
    },
    set rateLimitedUntil(until) {
      live.rateLimitedUntil = until
    },
    turnInMs: (method) => live.pace(method)?.waitMs({ isPatient: true }) ?? 0,
  }
}

/** The live credential, with what goes wrong in the words of connectors. */
function credentialOf(live: LiveConnection, connection: OpenedConnection): LiveCredential {
  return {
    async authenticate(options) {
      const attachment = await live.authenticate(options).catch(inConnectorWords)
      connection.generation = attachment.generation
      connection.status = live.status
      return attachment
    },
    async refused(generation, options) {
      const again = await live.refused(generation, options).catch(inConnectorWords)
      connection.status = live.status
      return again
    },
  }
}

function inConnectorWords(cause: unknown): never {
  if (cause instanceof CredentialRefused) throw new ProviderError('auth_invalidated', cause.message, { cause })
  if (cause instanceof CredentialUnavailable)
    throw new ProviderError('provider_5xx', cause.message, {
      cause,
      ...(cause.retryAfterMs !== undefined && { retryAfterMs: cause.retryAfterMs }),
    })
  throw cause
}
