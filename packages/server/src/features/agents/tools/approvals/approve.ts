import { isSameBytes } from '../../../../kernel/encryption/index.ts'
import { authorOf, type Caller } from '../../../../kernel/http/index.ts'
import { findInstallation } from '../../../integrations/installations/index.ts'
import { callInstalled } from '../call-tool.ts'
import { declaredTools } from '../declared-tools.ts'
import { groupState } from '../group-state.ts'
import { ApprovalDecided, ApprovalNotFound } from '../problems.ts'
import type { ToolAnswer, ToolContext } from '../tool-call.ts'
import { encryptResult, openCall, stateDigest } from './approval-call.ts'
import { approvalStatus } from './approval-resource.ts'
import { type ApprovalRow, decideApproval, endApproval, findApproval } from './approval-store.ts'

export interface Decision {
  approvalId: string
  caller: Caller
  comment: string | undefined
}

/** Written as the comment of a request that is refused because it is outdated. */
const outdated = 'The rules, the config or the account have changed since. The agent can ask again.'

/**
 * Approves a call and runs it, with exactly the stored arguments. It runs at most once: deciding and running are
 * separate, so that a process that dies in between leaves a decided request, which nothing runs again.
 *
 * @throws ApprovalNotFound, ApprovalDecided
 */
export async function approve(context: ToolContext, decision: Decision): Promise<ApprovalRow> {
  const { db, services } = context
  const row = await waitingApproval(context, decision.approvalId)
  const { version } = await groupState(db, row.groupRef)
  const tool = (await declaredTools(db, services.catalogue, version)).get(row.tool_name)
  const installation = await findInstallation(db, row.installation_id)
  if (!installation) throw new ApprovalNotFound()
  if (!tool || !isSameBytes(Buffer.from(stateDigest(tool, installation)), Buffer.from(row.state_digest))) {
    await decide(context, decision, { status: 'refused', comment: outdated })
    throw new ApprovalDecided({ detail: outdated })
  }
  await decide(context, decision, { status: 'approved', comment: decision.comment })
  const call = openCall(db, services.keyring, row.id, row.encrypted_call)
  const request = {
    name: tool.name,
    arguments: call.arguments,
    groupRef: installation.groupRef,
    consumerRef: call.consumerRef,
    agent: row.agent ?? undefined,
    caller: decision.caller,
  }
  const answer = await callInstalled(context, request, tool, installation, row.id).catch(async (error: unknown) => {
    await end(context, row.id, {
      isError: true,
      content: { error: { code: 'outcome_unknown', message: 'An unexpected error. Look at the record first.' } },
    })
    throw error
  })
  await end(context, row.id, answer)
  return await approvalOf(context, row.id)
}

/** @throws ApprovalNotFound, ApprovalDecided */
export async function refuse(context: ToolContext, decision: Decision): Promise<ApprovalRow> {
  const row = await waitingApproval(context, decision.approvalId)
  await decide(context, decision, { status: 'refused', comment: decision.comment })
  return await approvalOf(context, row.id)
}

export async function approvalOf({ db }: Pick<ToolContext, 'db'>, id: string): Promise<ApprovalRow> {
  const row = await findApproval(db, id)
  if (!row) throw new ApprovalNotFound()
  return row
}

async function waitingApproval(context: ToolContext, id: string): Promise<ApprovalRow> {
  const row = await approvalOf(context, id)
  const status = approvalStatus(row, context.services.now())
  if (status !== 'waiting') throw new ApprovalDecided({ detail: `The status of the request is ${status}.` })
  return row
}

async function decide(
  { db, services }: ToolContext,
  { approvalId, caller }: Decision,
  { status, comment }: { status: 'approved' | 'refused'; comment: string | undefined },
): Promise<void> {
  const decidedBy = authorOf(caller)
  const isFirst = await decideApproval(db, approvalId, { status, comment, decidedBy, now: services.now() })
  if (!isFirst) throw new ApprovalDecided()
}

async function end({ db, services }: ToolContext, id: string, answer: ToolAnswer): Promise<void> {
  const { isError, content, operationId } = answer
  const encryptedResult = encryptResult(db, services.keyring, id, { isError, content })
  const status = isError ? 'failed' : 'done'
  await endApproval(db, id, { status, encryptedResult, operationId, now: services.now() })
}
