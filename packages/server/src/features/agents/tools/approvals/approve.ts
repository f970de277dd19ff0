import { isSameBytes } from '../../../../kernel/encryption/index.ts'
import { authorOf, type Caller } from '../../../../kernel/http/index.ts'
import { findInstallation } from '../../../integrations/installations/index.ts'
import { callInstalled } from '../call-installed.ts'
import { declaredTools } from '../declared-tools.ts'
import { groupState } from '../group-state.ts'
import { ApprovalDecided, ApprovalNotFound } from '../problems.ts'
import type { ToolAnswer, ToolContext } from '../tool-call.ts'
import { encryptResult, openCall, outdated, stateDigest } from './approval-call.ts'
import { approvalStatus } from './approval-resource.ts'
import { type ApprovalRow, decideApproval, endApproval, findApproval } from './approval-store.ts'

export interface Decision {
  approvalId: string
  /** Only whom the request asks decides it: a person of the builder, or the user of the client. */
  decider: 'person' | 'user'
  caller: Caller
  comment: string | undefined
}

/**
 * Approves a call and runs it, with exactly the stored arguments. It runs at most once: deciding and running are
 * separate, so that a process that dies in between leaves a decided request, which nothing runs again.
 *
 * @throws ApprovalNotFound, ApprovalDecided
 */
export async function approve(context: ToolContext, decision: Decision): Promise<ApprovalRow> {
  const { db, services } = context
  const row = await openApproval(context, decision)
  const { version } = await groupState(db, row.groupRef)
  const tool = (await declaredTools(db, services.catalogue, version)).find(row.tool_name)
  const installation = await findInstallation(db, row.installation_id)
  if (!installation) throw new ApprovalNotFound()
  if (!tool || !isSameBytes(Buffer.from(stateDigest(tool, installation)), Buffer.from(row.state_digest))) {
    await decide(context, decision, row, { status: 'refused', comment: outdated })
    throw new ApprovalDecided({ detail: outdated })
  }
  await decide(context, decision, row, { status: 'approved', comment: decision.comment })
  const call = openCall(db, services.keyring, row.id, row.encrypted_call)
  const request = {
    name: tool.name,
    arguments: call.arguments,
    groupRef: installation.groupRef,
    consumerRef: call.consumerRef,
    agent: row.agent ?? undefined,
    caller: decision.caller,
  }
  const approval = { id: row.id, decider: decision.decider }
  const answer = await callInstalled(context, request, tool, installation, approval).catch(async (error: unknown) => {
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
  const row = await openApproval(context, decision)
  await decide(context, decision, row, { status: 'refused', comment: decision.comment })
  return await approvalOf(context, row.id)
}

export async function approvalOf({ db }: Pick<ToolContext, 'db'>, id: string): Promise<ApprovalRow> {
  const row = await findApproval(db, id)
  if (!row) throw new ApprovalNotFound()
  return row
}

const openStatus = { person: 'waiting', user: 'asking' } as const

async function openApproval(context: ToolContext, { approvalId, decider }: Decision): Promise<ApprovalRow> {
  const row = await approvalOf(context, approvalId)
  const status = approvalStatus(row, context.services.now())
  if (status !== openStatus[decider]) throw new ApprovalDecided({ detail: `The status of the request is ${status}.` })
  return row
}

async function decide(
  { db, services }: ToolContext,
  { caller, decider }: Decision,
  row: ApprovalRow,
  { status, comment }: { status: 'approved' | 'refused'; comment: string | undefined },
): Promise<void> {
  const decidedBy = decider === 'user' ? 'user' : authorOf(caller)
  await db.transaction(async (tx) => {
    const isFirst = await decideApproval(tx, row.id, { status, comment, decider, decidedBy, now: services.now() })
    if (!isFirst) throw new ApprovalDecided()
    await services.hooks.approvalDecided(tx, {
      approvalId: row.id,
      installationId: row.installation_id,
      toolName: row.tool_name,
      action: row.action,
      objectName: row.object_name,
      decision: status,
      decider,
    })
  })
}

async function end({ db, services }: ToolContext, id: string, answer: ToolAnswer): Promise<void> {
  const { isError, content, operationId } = answer
  const encryptedResult = encryptResult(db, services.keyring, id, { isError, content })
  const status = isError ? 'failed' : 'done'
  await endApproval(db, id, { status, encryptedResult, operationId, now: services.now() })
}
