import {
  type ConnectionContext,
  type Connector,
  createConnector,
  type LiveCredential,
  type ProviderEntry,
  ProviderError,
  type ProviderHttp,
} from '@mortise/providers'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { ProviderFailure } from './classify-failure.ts'
import type { ConnectionHandle, ConnectionHandles } from './connection-handle.ts'
import type { ConnectionStatus } from './connection-status.ts'
import { CredentialRefused, CredentialUnavailable } from './credential-errors.ts'
import { createProviderHttp } from './provider-http.ts'

type ConnectorServices = { outbound: Outbound; now: () => Date; connectionHandles: ConnectionHandles }

/** Longer waits for a permit of the rate limiter are not spent with a slot for work. */
const permitInPlaceMs = 5_000

/** A connection in use: what is known of it, and what the results of its requests are reported to. */
export interface OpenedConnection {
  readonly id: string
  readonly provider: string
  readonly groupRef: string
  readonly providerWorkspaceRef?: string
  /** As last known here. */
  status: ConnectionStatus
  /** Number of the credential that was sent last. */
  generation: number
  /**
   * How long work in the background has to wait before a request of this method: as long as the provider asked, or
   * for a permit of the rate limiter that does not come soon. 0 or less if it can begin.
   */
  waitMs(method: string): number
  /** The provider answered a request: the connection works. Costs no statement while that is known. */
  succeeded(): Promise<void>
  /** Stores what a failure says about the connection: a credential that is refused, or how long to wait. */
  failed(failure: Pick<ProviderFailure, 'scope' | 'connectionWaitMs'>): Promise<void>
  /** Stores that the provider wants no requests for so long, from any node. */
  waitFor(ms: number): Promise<void>
}

export interface OpeningOptions {
  /** Module of the integration; the provider's default module when absent. */
  module?: string | undefined
  /**
   * Nobody waits for the answers: its requests give way to others under the provider's rate limit, and wait longer for
   * their turns.
   */
  isBackground?: boolean
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
  { projectId }: { projectId: string },
  { outbound, now, connectionHandles }: ConnectorServices,
  connectionId: string,
  { module, isBackground = false }: OpeningOptions = {},
): Promise<ProviderAccess> {
  const live = await connectionHandles.open(projectId, connectionId)
  const connection = openedConnection(live, now)
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
      project: projectId,
      rateLimitedUntil: () => live.rateLimitedUntil,
      rateLimiter: live.rateLimiter,
      isBackground,
    }),
    connection,
  }
}

/**
 * Opens a connection for requests in the terms of the provider's objects. Report how they went: `succeeded`, `failed`.
 *
 * @throws ConnectionNotFound
 * @throws NoConnector when nothing here says how to read from the provider
 * @throws InvalidInputs when the connection's metadata makes no usable base URL
 */
export async function openConnector(
  project: { projectId: string },
  services: ConnectorServices,
  connectionId: string,
  options: OpeningOptions = {},
): Promise<{ connector: Connector; connection: OpenedConnection }> {
  const { entry, context, http, connection } = await openProviderAccess(project, services, connectionId, options)
  const connector = createConnector(entry, context, http, { now: () => services.now().getTime() })
  return { connector, connection }
}

function openedConnection(live: ConnectionHandle, now: () => Date): OpenedConnection {
  const { workspaceRef } = live.context
  const waitFor = (ms: number) => live.waitUntil(new Date(now().getTime() + ms))
  return {
    id: live.id,
    provider: live.entry.name,
    groupRef: live.groupRef,
    ...(workspaceRef !== undefined && { providerWorkspaceRef: workspaceRef }),
    status: live.status,
    generation: live.generation,
    waitMs(method) {
      const askedMs = (live.rateLimitedUntil?.getTime() ?? 0) - now().getTime()
      const permitMs = live.rateLimiter(method)?.waitMs({ isBackground: true }) ?? 0
      return permitMs > permitInPlaceMs ? Math.max(askedMs, permitMs) : askedMs
    },
    succeeded() {
      return live.report(this, 'succeeded')
    },
    async failed({ scope, connectionWaitMs }) {
      if (scope === 'credential') await live.report(this, 'credentials')
      if (connectionWaitMs !== undefined) await waitFor(connectionWaitMs)
    },
    waitFor,
  }
}

/** The live credential, with what goes wrong in the words of connectors. */
function credentialOf(live: ConnectionHandle, connection: OpenedConnection): LiveCredential {
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
