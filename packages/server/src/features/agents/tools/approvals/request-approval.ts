import { type InstallationRecord, lockInstallation } from '../../../integrations/installations/index.ts'
import { type DeclaredTool, isApprovable } from '../declared-tools.ts'
import { consumerDigest } from '../record-tool-call.ts'
import { safeText } from '../safe-text.ts'
import type { ToolContext, ToolOutcome, ToolRequest } from '../tool-call.ts'
import { ToolError } from '../tool-error.ts'
import { encryptCall, stateDigest } from './approval-call.ts'
import { insertApproval } from './approval-store.ts'

const approvalHoursDefault = 24

/** Stores a checked call until a person decides, and notifies the builder in the same transaction. */
export async function requestApproval(
  { db, services }: ToolContext,
  { request, tool, installation }: { request: ToolRequest; tool: DeclaredTool; installation: InstallationRecord },
): Promise<ToolOutcome> {
  const { action } = tool
  if (!isApprovable(action)) throw new Error(`the tool ${tool.name} needs no approval`)
  const id = services.newId()
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
      agent: (request.agent !== undefined && safeText(request.agent)) || null,
      consumer_digest: request.consumerRef === undefined ? null : consumerDigest(request.consumerRef),
      encrypted_call: encryptCall(db, services.keyring, id, stored),
      state_digest: stateDigest(tool, installation),
      expire_time: expireTime,
    })
    await services.hooks.approvalRequested(tx, {
      approvalId: id,
      installationId: installation.id,
      toolName: tool.name,
      action,
      objectName: tool.objectName,
      expireTime,
    })
  })
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
