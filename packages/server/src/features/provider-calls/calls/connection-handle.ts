import type { Attachment, ConnectionContext, ProviderEntry } from '@mortise/providers'
import type { RateLimiter } from '../../../kernel/rate-limits/index.ts'
import type { ConnectionStatus } from './connection-status.ts'

/**
 * Connections in use on this node, kept open for a while: using one again costs no statement, and a change of it is
 * heard of.
 */
export interface ConnectionHandles {
  /** @throws ConnectionNotFound, NoConnector */
  open(projectId: string, connectionId: string): Promise<ConnectionHandle>
  /** One that this node uses already: nothing has to be awaited then. */
  peek(projectId: string, connectionId: string): ConnectionHandle | undefined
  /**
   * Renews the tokens of a connection although they may be good still; does nothing where there is nothing to renew
   * them with.
   *
   * @param why `request`: somebody asked for it, whatever is remembered of earlier failures. `keep-alive`: it was due.
   * @throws ConnectionNotFound, CredentialRefused, CredentialUnavailable
   */
  renew(projectId: string, connectionId: string, why: 'request' | 'keep-alive'): Promise<void>
  /**
   * Looks a connection up anew on this node from now on; call it when a change of it has committed. Others hear of it
   * right after.
   */
  forget(projectId: string, connectionId: string): void
  /** Stops listening and forgets every credential. */
  stop(): Promise<void>
}

export interface ConnectionHandle {
  readonly projectId: string
  readonly id: string
  readonly groupRef: string
  readonly entry: ProviderEntry
  /** What fills the provider's templates. */
  readonly context: Omit<ConnectionContext, 'credential' | 'module'>
  /** As last known here. */
  readonly status: ConnectionStatus
  /** Number of the credential, as last known here. */
  readonly generation: number
  /** Until when the provider wants no requests, as last known here. */
  readonly rateLimitedUntil: Date | undefined
  /** Stores that the provider wants no requests until then, for all nodes; never shortens an earlier wait. */
  waitUntil(until: Date): Promise<void>
  /**
   * What a request of this method takes its turn under: the rate limits that its provider declares, kept by all who
   * send anything, on all nodes; undefined where there is none.
   */
  rateLimiter(this: void, method: string): RateLimiter | undefined
  /**
   * What authenticates a request now. An access token that is about to end is renewed first: once, however many ask, on
   * however many nodes. Answers without a statement otherwise.
   *
   * @throws CredentialRefused when no usable credential can be had (the connection is `bad_credentials` then),
   *   CredentialUnavailable when the provider cannot be asked just now
   */
  authenticate(options?: { signal?: AbortSignal }): Promise<Attachment & { generation: number }>
  /**
   * What `authenticate` would answer, where it is known and far from its end; undefined where something has to be done
   * or said.
   */
  attached(): (Attachment & { generation: number }) | undefined
  /**
   * The provider answered 401 to a request with the credential of this generation. Answers whether another one can be
   * had (sent again with `authenticate`); otherwise the connection becomes `bad_credentials`.
   *
   * @throws CredentialUnavailable when the provider cannot be asked for another one just now: nothing is said of the
   *   credential then
   */
  refused(generation: number, options?: { signal?: AbortSignal }): Promise<boolean>
  /**
   * The provider answered a request of this generation and did not refuse the credential: the connection works. Costs
   * nothing while that is known.
   */
  succeeded(generation: number): Promise<void>
  /**
   * Stores how a request went that was sent with the credential of this generation, and keeps the status current. Costs
   * nothing where the connection is known to have that status.
   */
  report(known: ReportedConnection, outcome: 'succeeded' | 'credentials'): Promise<void>
}

/** What the reporter of a request knows of the connection. */
export interface ReportedConnection {
  readonly id: string
  status: ConnectionStatus
  readonly generation: number
}
