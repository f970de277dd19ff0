import type { Catalogue } from '@mortise/providers'
import type { Config } from '../../../config.ts'
import type { Database, NewId } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { PubSub } from '../../../kernel/pubsub/index.ts'
import type { SharedLimits } from '../../../kernel/rate-limits/index.ts'
import type { Logger, Metrics } from '../../../kernel/telemetry/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import type { MessageShares } from '../../messaging/messages/index.ts'
import type { CountBuffer } from '../../platform/counts/index.ts'
import type { ConnectionHandles } from '../../provider-calls/calls/index.ts'
import type { ProviderEventLog } from '../provider-events/index.ts'
import type { ReadHooks } from '../reading/index.ts'
import type { SubscriptionHooks } from './hooks.ts'

/** What subscriptions and the events of providers need. */
export interface SubscribeServices {
  counts: CountBuffer
  catalogue: Catalogue
  config: Config
  database: Database
  hooks: SubscriptionHooks & ReadHooks & ConnectionHooks
  keyring: Keyring
  limits: SharedLimits
  connectionHandles: ConnectionHandles
  log: Logger
  messageShares: MessageShares
  metrics: Metrics
  newId: NewId
  now: () => Date
  outbound: Outbound
  providerEvents: ProviderEventLog
  publicUrl: string
  pubsub: PubSub
  queue: JobQueue
  work: Work
}
