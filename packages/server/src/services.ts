import type { Catalogue } from '@mortise/providers'
import type { Config } from './config.ts'
import type { ConnectionHooks } from './features/accounts/connections/index.ts'
import type { BuilderTokens, Passwords, SingleSignOn } from './features/identity/sign-in/index.ts'
import type { InstallationHooks } from './features/integrations/installations/index.ts'
import type { IntegrationHooks, ManifestValidator } from './features/integrations/integrations/index.ts'
import type { DeliveryRate } from './features/messaging/delivery/index.ts'
import type { DestinationHooks } from './features/messaging/destinations/index.ts'
import type { ConnectionHandles } from './features/provider-calls/calls/index.ts'
import type { ReadHooks } from './features/sync/reading/index.ts'
import type { SubscriptionHooks } from './features/sync/subscribing/index.ts'
import type { WriteHooks } from './features/sync/writing/index.ts'
import type { Database, NewId } from './kernel/db/index.ts'
import type { Keyring } from './kernel/encryption/index.ts'
import type { ProblemDeclaration } from './kernel/http/index.ts'
import type { JobQueue } from './kernel/jobs/index.ts'
import type { AddressGuard, NameResolver, Outbound, ResolveTxt } from './kernel/net/index.ts'
import type { PubSub } from './kernel/pubsub/index.ts'
import type { SharedLimits } from './kernel/rate-limits/index.ts'
import type { Logger, Metrics } from './kernel/telemetry/index.ts'
import type { Work } from './kernel/work/index.ts'

/**
 * All that endpoints, jobs and ticks need, as `app.ts` composes it. Features do not import this: each names what it
 * needs with the types of their owners.
 */
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
  connectionHandles: ConnectionHandles
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

/** Notifies features of changes in features that do not know them. */
export type Hooks = ConnectionHooks &
  DestinationHooks &
  InstallationHooks &
  IntegrationHooks &
  ReadHooks &
  SubscriptionHooks &
  WriteHooks
