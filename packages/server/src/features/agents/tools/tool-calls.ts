import type { Database, NewId } from '../../../kernel/db/index.ts'
import type { PubSub } from '../../../kernel/pubsub/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { type CallPermits, createCallPermits } from './call-permits.ts'
import { createGroupStates, type GroupStates } from './group-states.ts'
import { createToolCallLog, type ToolCallLog } from './tool-call-log.ts'

/** What a node keeps in memory, so that a call of a tool runs few statements. */
export interface ToolCalls {
  groups: GroupStates
  permits: CallPermits
  log: ToolCallLog
  stop(): Promise<void>
}

export function createToolCalls(services: {
  database: Database
  pubsub: PubSub
  newId: NewId
  now: () => Date
  log: Logger
}): ToolCalls {
  const groups = createGroupStates(services)
  const log = createToolCallLog(services)
  return {
    groups,
    permits: createCallPermits(services),
    log,
    async stop() {
      groups.stop()
      await log.stop()
    },
  }
}
