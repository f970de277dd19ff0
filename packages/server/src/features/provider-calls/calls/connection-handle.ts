import type { Attachment, ConnectionContext, CostBudget, ProviderEntry } from '@mortise/providers'
import type { RateLimiter } from '../../../kernel/rate-limits/index.ts'
import type { ConnectionStatus } from './connection-status.ts'
import type { LimitedRequest } from './provider-rate-limiter.ts'

/**
 * Connections in use on this node, cached for a while. Using one again runs no statement, and changes invalidate it.
 */
export interface ConnectionHandles {
  /** @throws ConnectionNotFound, NoConnector */
  open(projectId: string, connectionId: string): Promise<ConnectionHandle>
  /**
   * Returns a function that returns the handle of a connection if this node already uses it, without awaiting anything.
   */
  peekAt(projectId: string, connectionId: string): () => ConnectionHandle | undefined
  /**
   * Renews the tokens of a connection, even if they are still valid. Does nothing if there is nothing to renew them
   * with.
   *
   * @param why `request`: a caller requested it, which overrides remembered failures. `keep-alive`: the renewal was
   *   due.
   * @throws ConnectionNotFound, CredentialRefused, CredentialUnavailable
   */
  renew(projectId: string, connectionId: string, why: 'request' | 'keep-alive'): Promise<void>
  /**
   * Invalidates a connection on this node. Call it after a change has committed; other nodes are notified right after.
   */
  forget(projectId: string, connectionId: string): void
  /** Unsubscribes from changes and forgets every credential. */
  stop(): Promise<void>
}

export interface ConnectionHandle {
  readonly projectId: string
  readonly id: string
  readonly groupRef: string
  readonly entry: ProviderEntry
  /** Values that fill the provider's templates. */
  readonly context: Omit<ConnectionContext, 'credential' | 'module'>
  /** As last known on this node. */
  readonly status: ConnectionStatus
  /** Number of the credential, as last known on this node. */
  readonly generation: number
  /** Until when the provider wants no requests, as last known on this node. */
  readonly rateLimitedUntil: Date | undefined
  /** What is left of the provider's limit on cost, as responses to requests of this node report it. */
  readonly costBudget: CostBudget
  /** Stores for all nodes that the provider wants no requests until then; never shortens an earlier wait. */
  waitUntil(until: Date): Promise<void>
  /**
   * Returns the rate limiter for this request. It applies the limits that the provider declares to all requests of all
   * nodes. Returns undefined if there is no limit.
   */
  rateLimiter(this: void, request: LimitedRequest): RateLimiter | undefined
  /**
   * Returns what authenticates a request now. An access token that is about to expire is renewed first: once, for all
   * concurrent callers on all nodes. Otherwise no statement runs.
   *
   * @throws CredentialRefused if there is no usable credential (the connection is `bad_credentials` then)
   * @throws CredentialUnavailable if the provider is not available for a renewal
   */
  authenticate(options?: { signal?: AbortSignal }): Promise<Attachment & { generation: number }>
  /**
   * Returns what `authenticate` would return, if it is known and not about to expire; undefined if `authenticate` has
   * work to do.
   */
  attached(): (Attachment & { generation: number }) | undefined
  /**
   * Reports a 401 to a request with the credential of this generation. Returns whether there is another credential; if
   * so, send the request again with `authenticate`. Otherwise the connection becomes `bad_credentials`.
   *
   * @param options.reason what the provider said, in a public sentence
   * @throws CredentialUnavailable if the provider is not available for a renewal: the status stays then
   */
  refused(generation: number, options?: { signal?: AbortSignal; reason?: string }): Promise<boolean>
  /**
   * Reports that the provider accepted the credential of this generation: the connection works. Runs no statement if
   * that is known.
   */
  succeeded(generation: number): Promise<void>
  /**
   * Stores the outcome of a request with the credential of this generation, and keeps `status` current. Runs no
   * statement if the connection is known to have that status.
   *
   * @param refusal what the provider said, if it asks for more scopes
   */
  report(known: ReportedConnection, outcome: 'succeeded' | 'credentials', refusal?: Refusal): Promise<void>
}

/** Why a provider refuses the credential. */
export interface Refusal {
  /** What the provider said, in a public sentence. */
  reason?: string | undefined
  /** Scopes that the account must grant. */
  missingScopes?: readonly string[]
}

/** What the reporter of an outcome knows about the connection. */
export interface ReportedConnection {
  readonly id: string
  status: ConnectionStatus
  readonly generation: number
}
