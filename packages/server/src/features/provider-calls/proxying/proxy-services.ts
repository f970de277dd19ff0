import type { Catalogue } from '@mortise/providers'
import type { Config } from '../../../config.ts'
import type { Database, NewId } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { AddressGuard, NameResolver, Outbound } from '../../../kernel/net/index.ts'
import type { PubSub } from '../../../kernel/pubsub/index.ts'
import type { SharedLimits } from '../../../kernel/rate-limits/index.ts'
import type { Logger, Metrics } from '../../../kernel/telemetry/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import type { CountBuffer } from '../../platform/counts/index.ts'
import type { ConnectionHandles } from '../calls/index.ts'

/** What the proxy needs. */
export interface ProxyServices {
  catalogue: Catalogue
  config: Config
  counts: CountBuffer
  database: Database
  guard: AddressGuard
  hooks: ConnectionHooks
  keyring: Keyring
  limits: SharedLimits
  connectionHandles: ConnectionHandles
  log: Logger
  metrics: Metrics
  names: NameResolver
  newId: NewId
  now: () => Date
  outbound: Outbound
  pubsub: PubSub
}
