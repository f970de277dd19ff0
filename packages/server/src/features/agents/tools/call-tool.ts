import { nearest } from '@mortise/manifest'
import { answerQuestion } from './approvals/answer-question.ts'
import { approvalResult } from './approvals/approval-result.ts'
import { callInstalled } from './call-installed.ts'
import { calledTool } from './called-tool.ts'
import type { ProjectTools } from './declared-tools.ts'
import { ToolNotFound } from './problems.ts'
import type { ToolAnswer, ToolContext, ToolRequest } from './tool-call.ts'
import { errorContent, notConnected } from './tool-error.ts'

/**
 * Calls a tool for a group. Every call that reaches an installation becomes an operation.
 *
 * @throws ToolNotFound
 */
export async function callTool(context: ToolContext, request: ToolRequest): Promise<ToolAnswer> {
  // Before all else: an answer never begins another call.
  if (request.confirmation?.state !== undefined) return await answerQuestion(context, request, request.confirmation)
  if (request.name === 'get_approval_result') return await approvalResult(context, request)
  const { tools, tool, installation } = await calledTool(context, request)
  if (!tool) throw toolNotFound(request.name, tools)
  if (!installation) return { isError: true, content: errorContent(notConnected('')) }
  return await callInstalled(context, request, tool, installation)
}

export function toolNotFound(name: string, tools: ProjectTools): Error {
  const meant = nearest(
    name,
    tools.all.map((tool) => tool.name),
  )
  return new ToolNotFound(
    meant === undefined ? {} : { detail: `The project has no tool of this name. Did you mean ${meant}?` },
  )
}
