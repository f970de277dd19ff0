import type { Database } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import { deleteExpiredRegistrations } from '../authorization-servers/index.ts'
import { deleteExpiredConnectSessions } from './connect-page/index.ts'
import { deleteExpiredSessions } from './custom/index.ts'
import { deleteExpiredFlows } from './flow-store.ts'

/**
 * Every ten minutes on every node: deletes flows and sessions that nobody finished, pages whose time is over, and
 * registered clients that nobody used.
 */
export function connectingTicks({ database, now }: { database: Database; now: () => Date }): Tick[] {
  return [
    {
      name: 'connecting.expired-flows',
      everyMs: 600_000,
      async run() {
        await deleteExpiredFlows(database.system, now())
        await deleteExpiredConnectSessions(database.system, now())
        await deleteExpiredSessions(database.system, now())
        await deleteExpiredRegistrations(database.system, now())
        return false
      },
    },
  ]
}
