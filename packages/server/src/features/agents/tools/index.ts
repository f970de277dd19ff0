import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import { deleteOldApprovals } from './approvals/approval-store.ts'
import { approveCall } from './endpoints/approve-call.ts'
import { callTool as callToolEndpoint } from './endpoints/call-tool.ts'
import { getApproval } from './endpoints/get-approval.ts'
import { listApprovals } from './endpoints/list-approvals.ts'
import { listTools } from './endpoints/list-tools.ts'
import { refuseCall } from './endpoints/refuse-call.ts'

export { forgetConsumer } from './approvals/forget-consumer.ts'
export { assertAudience } from './audience.ts'
export {
  type AvailableTool,
  approvalResultTool,
  availableTools,
  defineTools,
} from './available-tools.ts'
export { callTool } from './call-tool.ts'
export { calledGroup, groupQuery } from './called-group.ts'
export { nameTools, ownDescription } from './declared-tools.ts'
export { forgetTools } from './forget-tools.ts'
export type { DecidedApproval, RequestedApproval, ToolHooks } from './hooks.ts'
export { ToolNotFound } from './problems.ts'
export { safeText } from './safe-text.ts'
export type { Confirmation, Question, ToolAnswer, ToolContext, ToolRequest } from './tool-call.ts'
export { createToolCalls, type ToolCalls } from './tool-calls.ts'
export type { ToolDefinition } from './tool-definition.ts'
export type { ToolServices } from './tool-services.ts'

export const toolsEndpoints = [listTools, callToolEndpoint, listApprovals, getApproval, approveCall, refuseCall]

export function toolsTicks(services: { config: Config; database: Database; now: () => Date }): Tick[] {
  const { config, database, now } = services
  return [
    {
      name: 'tools.old-approvals',
      everyMs: 600_000,
      run: () => deleteOldApprovals(database, { now: now(), retentionDays: config.retentionDays }),
    },
  ]
}
