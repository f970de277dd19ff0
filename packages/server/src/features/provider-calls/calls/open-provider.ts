import {
  AppIncomplete,
  type ConnectionContext,
  type Connector,
  type CostBudget,
  createConnector,
  type LiveCredential,
  type ProviderEntry,
  ProviderError,
  type ProviderHttp,
} from '@mortise/providers'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { CountBuffer } from '../../platform/counts/index.ts'
import { classifyFailure, customerSentence, type ProviderFailure } from './classify-failure.ts'
import type { ConnectionHandle, ConnectionHandles } from './connection-handle.ts'
import type { ConnectionStatus } from './connection-status.ts'
import { CredentialRefused, CredentialUnavailable } from './credential-errors.ts'
import { type ProviderCall, providerCall } from './provider-call.ts'
import { createProviderHttp, type SentRequest } from './provider-http.ts'

type ConnectorServices = { outbound: Outbound; now: () => Date; connectionHandles: ConnectionHandles }

/** Longer waits for a permit of the rate limiter must not occupy a slot for work. */
const permitInSlotMs = 5_000

/** What a connection needs to know of a failure. */
type ReportedFailure = Pick<ProviderFailure, 'scope' | 'connectionWaitMs' | 'missingScopes'> & { sentence?: string }

/** A connection in use: what is known about it, and where to report the outcomes of its requests. */
export interface OpenedConnection {
  readonly id: string
  readonly provider: string
  readonly groupRef: string
  readonly providerWorkspaceRef?: string
  /** As last known on this node. */
  status: ConnectionStatus
  /** Number of the credential that was sent last. */
  generation: number
  /**
   * Returns how long background work must wait before a request of this method: as long as the provider requested, or
   * for a permit of the rate limiter that is not available soon. 0 or less if it can start.
   */
  waitMs(method: string): number
  /** Reports that the provider accepted a request: the connection works. Runs no statement if that is known. */
  succeeded(): Promise<void>
  /** Stores what a failure says about the connection: that the credential is refused, or how long to wait. */
  failed(failure: ReportedFailure): Promise<void>
  /** Stores for all nodes that the provider wants no requests for this long. */
  waitFor(ms: number): Promise<void>
}

export interface OpeningOptions {
  /** Module of the integration; by default the provider's default module. */
  module?: string | undefined
  /**
   * Background work, for which no caller waits: its requests yield to interactive ones under the provider's rate limit,
   * and wait longer for a permit.
   */
  isBackground?: boolean
  /** The object of an installation that requests are counted for; without it, they are not counted. */
  countedFor?: { counts: CountBuffer; installationId: string; objectName: string }
  /** Gets each request once it has ended. */
  calls?: ProviderCall[]
}

/** Access to a provider as one connection: everything but the provider's objects. */
export interface ProviderAccess {
  entry: ProviderEntry
  /** Always contains the current credential: it is renewed before it expires, and once when the provider refuses it. */
  context: ConnectionContext & { credential: LiveCredential }
  http: ProviderHttp
  connection: OpenedConnection
  /** What is left of the provider's limit on cost. */
  costBudget: CostBudget
}

/**
 * Opens a connection for use, without a statement if this node has it cached. Requests fail as `auth_invalidated` if
 * there is no usable credential, and as `provider_5xx` if the provider is not available for a renewal.
 *
 * @throws ConnectionNotFound if the project has no such connection
 * @throws NoConnector if the catalog no longer has the provider
 */
export async function openProviderAccess(
  { projectId }: { projectId: string },
  { outbound, now, connectionHandles }: ConnectorServices,
  connectionId: string,
  { module, isBackground = false, countedFor, calls }: OpeningOptions = {},
): Promise<ProviderAccess> {
  const handle = await connectionHandles.open(projectId, connectionId)
  const connection = openedConnection(handle, now)
  const sent: SentCredential = { secrets: [] }
  return {
    entry: handle.entry,
    context: {
      ...handle.context,
      ...(module !== undefined && { module }),
      credential: credentialOf(handle, connection, sent),
    },
    http: createProviderHttp({
      outbound,
      now,
      project: projectId,
      rateLimitedUntil: () => handle.rateLimitedUntil,
      rateLimiter: handle.rateLimiter,
      isBackground,
      ...((countedFor ?? calls) && {
        sent(request) {
          if (countedFor) countCall(projectId, countedFor, request)
          calls?.push(providerCall(request, sent.secrets))
        },
      }),
    }),
    connection,
    costBudget: handle.costBudget,
  }
}

/**
 * Opens a connection for requests in terms of the provider's objects. Report the outcomes with `succeeded` and
 * `failed`.
 *
 * @throws ConnectionNotFound
 * @throws NoConnector if the provider's file does not describe reads
 * @throws InvalidInputs if the connection's metadata does not produce a valid base URL
 */
export async function openConnector(
  project: { projectId: string },
  services: ConnectorServices,
  connectionId: string,
  options: OpeningOptions = {},
): Promise<{ connector: Connector; connection: OpenedConnection }> {
  const access = await openProviderAccess(project, services, connectionId, options)
  return { connector: connectorOf(access, services), connection: access.connection }
}

/**
 * Returns a connector for an opened connection.
 *
 * @throws NoConnector, InvalidInputs
 */
export function connectorOf(
  { entry, context, http, costBudget }: ProviderAccess,
  { now }: Pick<ConnectorServices, 'now'>,
): Connector {
  return createConnector(entry, context, http, { now: () => now().getTime(), costBudget })
}

function countCall(
  projectId: string,
  { counts, installationId, objectName }: NonNullable<OpeningOptions['countedFor']>,
  { status }: SentRequest,
): void {
  const isFailure = status === undefined || status >= 400
  counts.add({ projectId, installationId, objectName }, { providerCalls: 1, failedProviderCalls: isFailure ? 1 : 0 })
}

function openedConnection(handle: ConnectionHandle, now: () => Date): OpenedConnection {
  const { workspaceRef } = handle.context
  const waitFor = (ms: number) => handle.waitUntil(new Date(now().getTime() + ms))
  return {
    id: handle.id,
    provider: handle.entry.name,
    groupRef: handle.groupRef,
    ...(workspaceRef !== undefined && { providerWorkspaceRef: workspaceRef }),
    status: handle.status,
    generation: handle.generation,
    waitMs(method) {
      const askedMs = (handle.rateLimitedUntil?.getTime() ?? 0) - now().getTime()
      const permitMs = handle.rateLimiter({ method })?.waitMs({ isBackground: true }) ?? 0
      return permitMs > permitInSlotMs ? Math.max(askedMs, permitMs) : askedMs
    },
    succeeded() {
      return handle.report(this, 'succeeded')
    },
    async failed({ scope, connectionWaitMs, sentence, missingScopes }) {
      if (scope === 'credential')
        await handle.report(this, 'credentials', missingScopes && { reason: sentence, missingScopes })
      if (connectionWaitMs !== undefined) await waitFor(connectionWaitMs)
    },
    waitFor,
  }
}

/** The credential that was sent last, in every spelling: what no log may show. */
interface SentCredential {
  secrets: readonly string[]
}

/** Wraps the live credential, so that its errors are those of connectors. */
function credentialOf(handle: ConnectionHandle, connection: OpenedConnection, sent: SentCredential): LiveCredential {
  return {
    async authenticate(options) {
      const attachment = await handle.authenticate(options).catch(inConnectorWords)
      connection.generation = attachment.generation
      sent.secrets = attachment.secrets
      connection.status = handle.status
      return attachment
    },
    async refused(generation, { error, ...options }) {
      const reason = error && customerSentence(classifyFailure(error))
      const refusal = { ...options, ...(reason !== undefined && { reason }) }
      const again = await handle.refused(generation, refusal).catch(inConnectorWords)
      connection.status = handle.status
      return again
    },
  }
}

function inConnectorWords(cause: unknown): never {
  if (cause instanceof CredentialRefused) throw new ProviderError('auth_invalidated', cause.message, { cause })
  if (cause instanceof AppIncomplete) throw new ProviderError('bad_request', cause.message, { cause })
  if (cause instanceof CredentialUnavailable)
    throw new ProviderError('provider_5xx', cause.message, {
      cause,
      ...(cause.retryAfterMs !== undefined && { retryAfterMs: cause.retryAfterMs }),
    })
  throw cause
}
