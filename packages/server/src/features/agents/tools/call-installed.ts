import type { InstallationRecord } from '../../integrations/installations/index.ts'
import type { ProviderCall } from '../../provider-calls/calls/index.ts'
import { requestApproval } from './approvals/request-approval.ts'
import { prepareCustomCall } from './custom-call.ts'
import type { DeclaredTool } from './declared-tools.ts'
import { prepareObjectCall } from './object-call.ts'
import { prepareProviderCall } from './provider-tools/provider-call.ts'
import { type GivenApproval, recordToolCall } from './record-tool-call.ts'
import {
  limitsOf,
  type ReadyCall,
  type ToolAnswer,
  type ToolContext,
  type ToolOutcome,
  type ToolRequest,
} from './tool-call.ts'
import { errorContent, ToolError, type ToolErrorFacts, toolErrorOf } from './tool-error.ts'

/**
 * Calls a tool of an installation.
 *
 * @param approval of the call, if somebody has given it
 */
export async function callInstalled(
  context: ToolContext,
  request: ToolRequest,
  tool: DeclaredTool,
  installation: InstallationRecord,
  approval?: GivenApproval,
): Promise<ToolAnswer> {
  const begun = performance.now()
  const calls: ProviderCall[] = []
  let outcome: ToolOutcome | undefined
  let failed: ToolErrorFacts | undefined
  try {
    if (approval === undefined) await takePermit(context, installation, tool)
    const call = await prepare(context, request, tool, installation, calls)
    if (tool.needsApproval && approval === undefined) {
      await call.checkTarget()
      outcome = await requestApproval(context, { request, tool, installation })
    } else outcome = await call.run()
  } catch (error) {
    failed = toolErrorOf(error, installation.provider, context.services.now())
    if (failed === undefined) {
      const facts = { code: 'outcome_unknown', message: 'An unexpected error.' } as const
      await recordToolCall(context, { request, tool, installation, approval, calls, begun, outcome, failed: facts })
      throw error
    }
  }
  const ended = { request, tool, installation, approval, calls, begun, outcome, failed }
  const operationId = await recordToolCall(context, ended)
  if (outcome) {
    const { content, question } = outcome
    return { isError: false, content, operationId, ...(question && { question }) }
  }
  return { isError: true, content: errorContent(failed), operationId }
}

/** Checks everything that a call needs, and throws all that is wrong with its arguments together. @throws ToolError */
function prepare(
  context: ToolContext,
  request: ToolRequest,
  tool: DeclaredTool,
  installation: InstallationRecord,
  calls: ProviderCall[],
): Promise<ReadyCall> {
  switch (tool.kind) {
    case 'object':
      return prepareObjectCall(context, request, tool, installation, calls)
    case 'custom':
      return prepareCustomCall(context, request, tool, installation, calls)
    case 'provider':
      return prepareProviderCall(context, request, tool, installation, calls)
  }
}

/** Counts a call against the limit of the group. @throws ToolError */
async function takePermit(
  { db, services }: ToolContext,
  installation: InstallationRecord,
  tool: DeclaredTool,
): Promise<void> {
  const { callsPerMinute } = limitsOf(tool)
  const taken = services.toolCalls.permits.take(db.projectId, installation.id, { now: services.now(), callsPerMinute })
  const seconds = taken instanceof Promise ? await taken : taken
  if (seconds === undefined) return
  throw new ToolError({
    code: 'limit_reached',
    message: `Your limit of ${callsPerMinute} calls a minute is reached. Call again in ${seconds} seconds.`,
    retryAfterSeconds: seconds,
  })
}
