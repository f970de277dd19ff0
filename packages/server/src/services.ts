import type { MissingParams, MissingScopes } from '@mortise/manifest'
import type { Catalogue } from '@mortise/providers'
import type { Config } from './config.ts'
import type { ConnectAssets } from './features/accounts/authorization-flows/index.ts'
import type { ConnectionHooks } from './features/accounts/connections/index.ts'
import type { ErasureHooks } from './features/accounts/erasures/index.ts'
import type { ToolCalls, ToolHooks } from './features/agents/tools/index.ts'
import type { BuilderTokens, Passwords, SingleSignOn } from './features/identity/sign-in/index.ts'
import type { InstallationHooks } from './features/integrations/installations/index.ts'
import type { IntegrationHooks, ManifestValidator } from './features/integrations/integrations/index.ts'
import type { DeliveryRate } from './features/messaging/delivery/index.ts'
import type { DestinationHooks } from './features/messaging/destinations/index.ts'
import type { Handover, MessageShares } from './features/messaging/messages/index.ts'
import type { ChangePublisher } from './features/platform/changes/index.ts'
import type { ConsoleAssets } from './features/platform/console/index.ts'
import type { CountBuffer } from './features/platform/counts/index.ts'
import type { ConnectionHandles } from './features/provider-calls/calls/index.ts'
import type { ProviderEventLog } from './features/sync/provider-events/index.ts'
import type { ReadHooks } from './features/sync/reading/index.ts'
import type { SubscriptionHooks } from './features/sync/subscribing/index.ts'
import type { WriteHooks } from './features/sync/writing/index.ts'
import type { Database, NewId, ProjectDb } from './kernel/db/index.ts'
import type { Keyring } from './kernel/encryption/index.ts'
import type { CallApi, ProblemDeclaration } from './kernel/http/index.ts'
import type { JobQueue } from './kernel/jobs/index.ts'
import type { AddressGuard, NameResolver, Outbound, ResolveTxt } from './kernel/net/index.ts'
import type { PubSub } from './kernel/pubsub/index.ts'
import type { SharedLimits } from './kernel/rate-limits/index.ts'
import type { Logger, Metrics } from './kernel/telemetry/index.ts'
import type { Work } from './kernel/work/index.ts'

/**
 * What endpoints, jobs and ticks need, as `app.ts` composes it. Features do not import this: each declares what it
 * needs with the types of the owners.
 */
export interface Services {
  config: Config
  log: Logger
  metrics: Metrics
  /** Returns the metrics of all processes of the service in the text format. */
  metricsText: () => Promise<string>
  now: () => Date
  newId: NewId
  /** Returns whether this node is stopping: load balancers should send it no more requests. */
  isStopping(): boolean
  /** Public origin of the service, without a trailing slash. */
  publicUrl: string
  database: Database
  queue: JobQueue
  /** Claims work that is stored in tables. */
  work: Work
  /** Notifications between nodes. */
  pubsub: PubSub
  outbound: Outbound
  deliveryRate: DeliveryRate
  /** What calls of tools keep in memory. */
  toolCalls: ToolCalls
  /** Orders the new messages of a destination fairly. */
  messageShares: MessageShares
  /** Hands posted messages to the delivery runs of this node. */
  handover: Handover
  /** Counts what happens, for the counts over time. */
  counts: CountBuffer
  /** Publishes what changes often to the streams of changes. */
  changes: ChangePublisher
  /** Logs what providers send. */
  providerEvents: ProviderEventLog
  /** Limits that all nodes share, on concurrency and on rates. */
  limits: SharedLimits
  guard: AddressGuard
  /** Resolves TXT records. */
  resolveTxt: ResolveTxt
  /** Resolves names for connections; the guard checks every connection in addition. */
  names: NameResolver
  keyring: Keyring
  catalogue: Catalogue
  connectionHandles: ConnectionHandles
  /** Scripts of the connect components. */
  connectAssets: ConnectAssets
  /** Scripts and styles of the console. */
  consoleAssets: ConsoleAssets
  validateManifest: ManifestValidator
  /** Returns the OAuth scopes that the provider apps of a project lack. */
  missingScopesOfApps(db: ProjectDb): Promise<MissingScopes>
  /** Returns the settings that the provider apps of a project lack. */
  missingParamsOfApps(db: ProjectDb): Promise<MissingParams>
  builderTokens: BuilderTokens
  /** Sends requests to this service itself. */
  callApi: CallApi
  passwords: Passwords
  /** Undefined when the operator configured no identity provider. */
  singleSignOn: SingleSignOn | undefined
  hooks: Hooks
  /** Every declared problem by code, for the pages of problems. */
  problems: ReadonlyMap<string, ProblemDeclaration>
  /** Returns the OpenAPI document of this node, built once. */
  openapi: () => Record<string, unknown>
}

/** Notifies features of changes in features that they do not import. */
export type Hooks = ConnectionHooks &
  DestinationHooks &
  ErasureHooks &
  InstallationHooks &
  IntegrationHooks &
  ReadHooks &
  SubscriptionHooks &
  ToolHooks &
  WriteHooks
