import { type InstallationRecord, lockInstallation } from '../../../integrations/installations/index.ts'
import { type DeclaredTool, isApprovable } from '../declared-tools.ts'
import { consumerDigest } from '../record-tool-call.ts'
import type { ToolContext, ToolOutcome, ToolRequest } from '../tool-call.ts'
import { ToolError } from '../tool-error.ts'
import { agentOf, encryptCall, stateDigest } from './approval-call.ts'
import { insertApproval } from './approval-store.ts'
import { digestOf, newAnswerSecret, stateOf } from './question-state.ts'
import { questionText } from './question-text.ts'

const approvalHoursDefault = 24

/**
 * Stores a checked call until somebody decides: the user of the client if the tool and the client ask that, or else a
 * person of the builder, who is notified in the same transaction.
 */
export async function requestApproval(
  { db, services }: ToolContext,
  { request, tool, installation }: { request: ToolRequest; tool: DeclaredTool; installation: InstallationRecord },
): Promise<ToolOutcome> {
  const { action } = tool
  if (!isApprovable(action)) throw new Error(`the tool ${tool.name} needs no approval`)
  const id = services.newId()
  const message =
    tool.asksUser && request.confirmation ? questionText(tool, installation, request.arguments) : undefined
  const asked = message === undefined ? undefined : { message, secret: newAnswerSecret() }
  const expireTime = new Date(services.now().getTime() + (tool.agent.approvalHours ?? approvalHoursDefault) * 3_600_000)
  const stored = {
    arguments: request.arguments,
    ...(request.consumerRef !== undefined && { consumerRef: request.consumerRef }),
  }
  await db.transaction(async (tx) => {
    if (!(await lockInstallation(tx, installation.id)))
      throw new ToolError({ code: 'not_connected', message: 'The user has disconnected the account for this tool.' })
    await insertApproval(tx, {
      id,
      installation_id: installation.id,
      tool_name: tool.name,
      action,
      object_name: tool.objectName,
      agent: agentOf(request),
      consumer_digest: request.consumerRef === undefined ? null : consumerDigest(request.consumerRef),
      encrypted_call: encryptCall(db, services.keyring, id, stored),
      state_digest: stateDigest(tool, installation),
      expire_time: expireTime,
      decider: asked ? 'user' : 'person',
      answer_hash: asked ? digestOf(asked.secret) : null,
    })
    if (asked) return
    await services.hooks.approvalRequested(tx, {
      approvalId: id,
      installationId: installation.id,
      toolName: tool.name,
      action,
      objectName: tool.objectName,
      expireTime,
    })
  })
  if (asked)
    return {
      content: { status: 'asking' },
      summary: 'asks the user',
      details: { approval: id },
      question: { message: asked.message, state: stateOf(id, asked.secret) },
    }
  return {
    content: {
      status: 'waiting_for_approval',
      approvalId: id,
      expireTime: expireTime.toISOString(),
      message: 'A person must approve this call. Nothing has changed yet. Call get_approval_result with this id later.',
    },
    summary: 'waits for approval',
    details: { approval: id },
  }
}
