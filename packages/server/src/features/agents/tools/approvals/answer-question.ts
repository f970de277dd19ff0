import { isDeepStrictEqual } from 'node:util'
import { isSameBytes } from '../../../../kernel/encryption/index.ts'
import { calledTool } from '../called-tool.ts'
import { ApprovalDecided, ApprovalNotFound } from '../problems.ts'
import { recordToolCall } from '../record-tool-call.ts'
import type { Confirmation, ToolAnswer, ToolContext, ToolRequest } from '../tool-call.ts'
import { agentOf, openCall } from './approval-call.ts'
import { approvalStatus } from './approval-resource.ts'
import { failed, isConsumer, resultOf } from './approval-result.ts'
import { type ApprovalRow, findApproval } from './approval-store.ts'
import { approve, refuse } from './approve.ts'
import { digestOf, readState } from './question-state.ts'
import { questionText } from './question-text.ts'

/**
 * Takes the answer of the user of a client to a question about a call. Runs the call with the stored arguments, at most
 * once: the same answer again gets the same result. All that decides what runs is stored, so what the client sends is
 * only compared.
 */
export async function answerQuestion(
  context: ToolContext,
  request: ToolRequest,
  confirmation: Confirmation,
): Promise<ToolAnswer> {
  const { db, services } = context
  const row = await askedApproval(context, request, confirmation.state ?? '')
  if (!row)
    return failed({
      code: 'not_found',
      message: 'There is no question of this `requestState` for this call. Call again without it to ask the user.',
    })
  const stored = openCall(db, services.keyring, row.id, row.encrypted_call)
  if (!isSameJson(stored.arguments, request.arguments))
    return failed({
      code: 'arguments_refused',
      message: 'The arguments differ from those of the question. Call again without `requestState`.',
    })
  if (approvalStatus(row, services.now()) !== 'asking') return resultOf(context, row)
  return await decideAsUser(context, request, row, confirmation)
}

/** Returns the request that a state names; undefined for a false state, or another group, consumer, tool or agent. */
async function askedApproval(
  context: ToolContext,
  request: ToolRequest,
  text: string,
): Promise<ApprovalRow | undefined> {
  const state = readState(text)
  const row = state && (await findApproval(context.db, state.approvalId))
  if (!row?.answer_hash || !isSameBytes(row.answer_hash, digestOf(state?.secret ?? ''))) return undefined
  const isNamed = row.tool_name === request.name || row.tool_name === (await calledTool(context, request)).tool?.name
  const isOwn =
    isNamed &&
    row.groupRef === request.groupRef &&
    (request.consumerRef === undefined ? row.consumer_digest === null : isConsumer(row, request.consumerRef)) &&
    row.agent === agentOf(request)
  return isOwn ? row : undefined
}

async function decideAsUser(
  context: ToolContext,
  request: ToolRequest,
  row: ApprovalRow,
  { answer, state = '' }: Confirmation,
): Promise<ToolAnswer> {
  // Continues if the client disconnects: a confirmed call must end.
  const lasting = { ...context, signal: new AbortController().signal }
  const decision = { approvalId: row.id, decider: 'user' as const, caller: request.caller, comment: undefined }
  try {
    if (answer === 'confirmed') return resultOf(context, await approve(lasting, decision))
    if (answer === 'refused') {
      const refused = await refuse(lasting, decision)
      return await recordedRefusal(lasting, request, refused)
    }
  } catch (error) {
    if (!(error instanceof ApprovalDecided || error instanceof ApprovalNotFound)) throw error
    // Another answer was faster, or the request is outdated.
    const now = await findApproval(context.db, row.id)
    return now
      ? resultOf(context, now)
      : failed({ code: 'not_found', message: 'The account for this call is not connected any more.' })
  }
  const { installation, tool } = await calledTool(context, request)
  const message = tool && installation && questionText(tool, installation, request.arguments)
  if (message === undefined) return failed({ code: 'not_found', message: 'There is no such tool any more.' })
  return { isError: false, content: { status: 'asking' }, question: { message, state } }
}

/** Stores that the user refused, as each step of an approval is stored. */
async function recordedRefusal(context: ToolContext, request: ToolRequest, row: ApprovalRow): Promise<ToolAnswer> {
  const { tool, installation } = await calledTool(context, request)
  const answer = resultOf(context, row)
  if (!tool || !installation) return answer
  const operationId = await recordToolCall(context, {
    request,
    tool,
    installation,
    approval: { id: row.id, decider: 'user' },
    calls: [],
    begun: performance.now(),
    outcome: undefined,
    failed: { code: 'approval_refused', message: 'The user refused the call. Nothing has changed.' },
  })
  return { ...answer, operationId }
}

/** Compares what was stored as JSON with what a request has. */
function isSameJson(stored: unknown, sent: unknown): boolean {
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(sent)))
}
