import { nearest } from '@mortise/manifest'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import type { ProviderCall } from '../../provider-calls/calls/index.ts'
import { approvalResult } from './approvals/approval-result.ts'
import { requestApproval } from './approvals/request-approval.ts'
import { calledTool } from './called-tool.ts'
import { prepareCustomCall } from './custom-call.ts'
import type { DeclaredTool } from './declared-tools.ts'
import { prepareObjectCall } from './object-call.ts'
import { ToolNotFound } from './problems.ts'
import { prepareProviderCall } from './provider-tools/provider-call.ts'
import { recordToolCall } from './record-tool-call.ts'
import {
  limitsOf,
  type ReadyCall,
  type ToolAnswer,
  type ToolContext,
  type ToolOutcome,
  type ToolRequest,
} from './tool-call.ts'
import { notConnected, ToolError, type ToolErrorFacts, toolErrorOf } from './tool-error.ts'

/**
 * Calls a tool for a group. Every call that reaches an installation becomes an operation.
 *
 * @throws ToolNotFound
 */
export async function callTool(context: ToolContext, request: ToolRequest): Promise<ToolAnswer> {
  if (request.name === 'get_approval_result') return await approvalResult(context, request)
  const { tools, tool, installation } = await calledTool(context, request)
  if (!tool) throw toolNotFound(request.name, tools)
  if (!installation) return { isError: true, content: errorContent(notConnected('')) }
  return await callInstalled(context, request, tool, installation)
}

/**
 * Calls a tool of an installation.
 *
 * @param approvalId the approval of the call, if a person has given it
 */
export async function callInstalled(
  context: ToolContext,
  request: ToolRequest,
  tool: DeclaredTool,
  installation: InstallationRecord,
  approvalId?: string,
): Promise<ToolAnswer> {
  const begun = performance.now()
  const calls: ProviderCall[] = []
  let outcome: ToolOutcome | undefined
  let failed: ToolErrorFacts | undefined
  try {
    if (approvalId === undefined) await takePermit(context, installation, tool)
    const call = await prepare(context, request, tool, installation, calls)
    if (tool.needsApproval && approvalId === undefined) {
      await call.checkTarget()
      outcome = await requestApproval(context, { request, tool, installation })
    } else outcome = await call.run()
  } catch (error) {
    failed = toolErrorOf(error, installation.provider, context.services.now())
    if (failed === undefined) {
      const facts = { code: 'outcome_unknown', message: 'An unexpected error.' } as const
      await recordToolCall(context, { request, tool, installation, approvalId, calls, begun, outcome, failed: facts })
      throw error
    }
  }
  const ended = { request, tool, installation, approvalId, calls, begun, outcome, failed }
  const operationId = await recordToolCall(context, ended)
  if (outcome) return { isError: false, content: outcome.content, operationId }
  return { isError: true, content: errorContent(failed), operationId }
}

export function errorContent(error: ToolErrorFacts | undefined): Record<string, unknown> {
  return { error }
}

export function toolNotFound(name: string, tools: ReadonlyMap<string, DeclaredTool>): Error {
  const meant = nearest(name, [...tools.keys()])
  return new ToolNotFound(
    meant === undefined ? {} : { detail: `The project has no tool of this name. Did you mean ${meant}?` },
  )
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
