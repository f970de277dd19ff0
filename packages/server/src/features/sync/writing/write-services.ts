import type { Catalogue } from '@mortise/providers'
import type { Database, NewId } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { SharedLimits } from '../../../kernel/rate-limits/index.ts'
import type { Logger, Metrics } from '../../../kernel/telemetry/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import type { CountBuffer } from '../../platform/counts/index.ts'
import type { ConnectionHandles } from '../../provider-calls/calls/index.ts'
import type { WriteHooks } from './hooks.ts'

/** What processing writes needs. */
export interface WriteServices {
  catalogue: Catalogue
  counts: CountBuffer
  database: Database
  hooks: WriteHooks & ConnectionHooks
  keyring: Keyring
  limits: SharedLimits
  connectionHandles: ConnectionHandles
  log: Logger
  metrics: Metrics
  newId: NewId
  now: () => Date
  outbound: Outbound
  queue: JobQueue
  work: Work
}
