import type { IntegrationContent, ValidateResult } from '@mortise/manifest'
import type { Attachment, Catalogue, ConnectionContext, ProviderEntry } from '@mortise/providers'
import type { Config } from './config.ts'
import type { Database, NewId, ProjectDb } from './kernel/db/index.ts'
import type { Keyring } from './kernel/encryption/index.ts'
import type { Identity, ProblemDeclaration } from './kernel/http/index.ts'
import type { JobQueue } from './kernel/jobs/index.ts'
import type { AddressGuard, NameResolver, Outbound, ResolveTxt } from './kernel/net/index.ts'
import type { PubSub } from './kernel/pubsub/index.ts'
import type { Pace, SharedLimits } from './kernel/rate-limits/index.ts'
import type { Logger, Metrics } from './kernel/telemetry/index.ts'
import type { Work } from './kernel/work/index.ts'

/** Everything that endpoints and jobs may ask for; each names the part that it uses. Composed in `app.ts`. */
export interface Services {
  config: Config
  log: Logger
  metrics: Metrics
  now: () => Date
  newId: NewId
  /** Whether this node is about to end: no balancer should send it more. */
  isStopping(): boolean
  /** Origin that the world reaches us at, without a trailing slash. */
  publicUrl: string
  database: Database
  queue: JobQueue
  /** Claims work that is kept in tables. */
  work: Work
  /** Notifications between nodes. */
  pubsub: PubSub
  outbound: Outbound
  deliveryRate: DeliveryRate
  /** What all nodes keep together of what may be done at once, or in a time. */
  limits: SharedLimits
  guard: AddressGuard
  /** Asks name servers for TXT records. */
  resolveTxt: ResolveTxt
  /** Resolves names for connections; every connection is checked by the guard all the same. */
  names: NameResolver
  keyring: Keyring
  catalogue: Catalogue
  liveConnections: LiveConnections
  validateManifest: ManifestValidator
  builderTokens: BuilderTokens
  passwords: Passwords
  /** Undefined where the operator configured no provider of identities. */
  singleSignOn: SingleSignOn | undefined
  hooks: Hooks
  /** Every declared problem by code, for the problems' pages. */
  problems: ReadonlyMap<string, ProblemDeclaration>
  /** The OpenAPI document of this node, made once. */
  openapi: () => Record<string, unknown>
}

/** How fast messages go out. */
export interface DeliveryRate {
  /**
   * Takes one message of a project. Answers 0 when it may go out now, else the milliseconds after which to ask again.
   */
  take(projectId: string): number
}

/**
 * Connections in use on this node, kept open for a while: using one again costs no statement, and a change of it is
 * heard of.
 */
export interface LiveConnections {
  /** @throws ConnectionNotFound, NoConnector */
  open(projectId: string, connectionId: string): Promise<LiveConnection>
  /** One that this node uses already: nothing has to be awaited then. */
  peek(projectId: string, connectionId: string): LiveConnection | undefined
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

export interface LiveConnection {
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
  rateLimitedUntil: Date | undefined
  /**
   * What a request of this method takes its turn under: the rate limits that its provider declares, kept by all who
   * send anything, on all nodes; undefined where there is none.
   */
  pace(this: void, method: string): Pace | undefined
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
}

export type ConnectionStatus = 'created' | 'working' | 'bad_credentials'

/** An integration that a deploy made or changed. */
export interface IntegrationChange {
  integrationId: string
  /** Undefined when it is new. */
  before: IntegrationContent | undefined
  after: IntegrationContent
}

/**
 * What a feature tells the features that build on it, without knowing them. Each runs inside the caller's transaction,
 * so that a change and what follows from it commit together.
 */
export interface Hooks {
  /**
   * All that one deploy changed, at once: what follows costs the same for one integration and for two hundred.
   * `unchanged` was deployed as it was; what a newer release does with it may still have to begin.
   */
  integrationsDeployed(
    tx: ProjectDb,
    changes: IntegrationChange[],
    options: { destructive: boolean; unchanged: { integrationId: string; content: IntegrationContent }[] },
  ): Promise<void>
  /** `isNew` is false when the same account was connected again, or its connection was changed. */
  connectionCreated(tx: ProjectDb, change: { connectionId: string; isNew: boolean }): Promise<void>
  /** Its access token was renewed. */
  connectionRefreshed(tx: ProjectDb, change: { connectionId: string }): Promise<void>
  connectionStatusChanged(
    tx: ProjectDb,
    change: { connectionId: string; from: ConnectionStatus; to: ConnectionStatus; error?: string },
  ): Promise<void>
  /** Before their rows go, so that what is said of them can still be read. */
  connectionsDeleting(tx: ProjectDb, change: { connectionIds: string[] }): Promise<void>
  /** `previousConfigId`: the config that was replaced, when one was. */
  installationChanged(
    tx: ProjectDb,
    change: { installationId: string; kind: 'created' | 'updated'; previousConfigId?: string },
  ): Promise<void>
  /** Its installations are to go before its row does. */
  integrationDeleting(tx: ProjectDb, change: { integrationId: string }): Promise<void>
  /** Before their rows go, with their connections. */
  installationsDeleting(tx: ProjectDb, change: { installationIds: string[] }): Promise<void>
  readsEnded(tx: ProjectDb, ended: EndedRead[]): Promise<void>
  /** Asynchronous writes that have ended for good. */
  writesEnded(tx: ProjectDb, ended: EndedWrite[]): Promise<void>
  /** Schedules that were paused, by themselves (`error` says why) or on request. */
  readsPaused(tx: ProjectDb, paused: { installationId: string; error?: string }[]): Promise<void>
  /** Subscriptions that could not be set up at the provider; told once for as long as that lasts. */
  subscriptionsFailed(tx: ProjectDb, failed: { installationId: string; error: string }[]): Promise<void>
  destinationChanged(
    tx: ProjectDb,
    change: { destinationId: string; name: string; kind: 'created' | 'updated' | 'deleted' | 'disabled' | 'enabled' },
  ): Promise<void>
}

/** A read that was asked for and has ended for good. */
export interface EndedRead {
  installationId: string
  /** The provider's name of the object. */
  objectName: string
  kind: 'backfill' | 'triggered'
  outcome: 'success' | 'failure'
  since?: Date
  until?: Date
  /** Public sentence, of a failure. */
  error?: string
}

/** An asynchronous write that has ended for good: of one record or of many. */
export interface EndedWrite {
  installationId: string
  /** The provider's name of the object. */
  objectName: string
  /** Whether every record was written. */
  success: boolean
  /** Ids of the records that were. */
  successfulRecordIds: string[]
  /** Public sentences, of those that were not. */
  errors: string[]
}

/** How a manifest is validated. */
export interface ManifestOptions {
  /** Names of the destinations of the project. */
  destinations: Iterable<string>
  /** Rules of level `strict` become errors. */
  strict: boolean
  /** Least interval of read schedules. */
  readIntervalLeastMs: number
}

/** Validates manifests in a thread of their own, one at a time. */
export interface ManifestValidator {
  /** @throws ManifestTooCostly, DeployQueueFull */
  (source: string, options: ManifestOptions): Promise<ValidateResult>
  /** Ends the thread; what is under way fails. */
  close(): Promise<void>
}

/** Signs the tokens of people who are signed in, and knows whom they belong to. */
export interface BuilderTokens {
  issue(session: {
    sessionId: string
    builderId: string
    email: string
  }): Promise<{ accessToken: string; expiresAt: Date }>
  /** Undefined for what was not issued here, has expired, or whose session has ended. */
  find: {
    (token: string): Promise<Identity | undefined>
    /** Looks the session up whatever is remembered. */
    again(token: string): Promise<Identity | undefined>
  }
  /** The JWK Set that tokens are verified with. */
  publicKeys(): Promise<{ keys: object[] }>
  /** Replaces a signing key that is too old, or any with `always`. */
  rotate(options?: { always: boolean }): Promise<void>
  /** A session has ended: its tokens are refused here at once. */
  forget(sessionId: string): void
}

/** Passwords of people. */
export interface Passwords {
  /** The hash that is stored: `scrypt$N$r$p$salt$key`, the last two in base64url. */
  hash(password: string): Promise<string>
  /**
   * Whether the password is the one that was stored. Without a stored one (nobody has this email, or signs in
   * elsewhere) it takes as long, and is not.
   */
  verify(stored: string | null | undefined, password: string): Promise<boolean>
}

/** A provider of identities that people of the operator's organisation sign in with. */
export interface SingleSignOn {
  /** As people know it. */
  name: string
  /** Where to send the browser. Fails when the provider cannot be reached. */
  begin(flow: { state: string; nonce: string; verifier: string }): Promise<URL>
  /** Who came back, by the query that they came back with. Fails when anything about it is not as it must be. */
  finish(query: string, flow: { state: string; nonce: string; verifier: string }): Promise<VouchedPerson>
}

/** A person as a provider of identities describes them. */
export interface VouchedPerson {
  issuer: string
  /** What the provider calls them, for ever. */
  subject: string
  email: string | undefined
  /** The provider says that the address is theirs. */
  emailVerified: boolean
  firstName: string | undefined
  lastName: string | undefined
  fullName: string | undefined
}
