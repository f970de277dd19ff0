import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { ApprovalDetails, approvalDetails } from '../approvals/approval-resource.ts'
import { approve } from '../approvals/approve.ts'
import { decisionBody } from '../approvals/decision-body.ts'
import { ApprovalDecided, ApprovalNotFound } from '../problems.ts'
import type { ToolServices } from '../tool-services.ts'

export const approveCall = endpoint({
  id: 'approveCall',
  method: 'POST',
  path: '/projects/{projectIdOrName}/approvals/{approvalId}:approve',
  access: 'operate',
  summary: 'Approve a call of an agent.',
  description:
    'Runs the call once, with exactly the stored arguments, and returns its result. Refuses a request whose rules, config or account have changed since. Only the user of a client approves a request with `decider: user`.',
  tag: 'Tools',
  audit: { verb: 'approve', resource: 'approval', isOfCustomer: true },
  extension: true,
  params: Path({ ...ProjectPath.properties, approvalId: Ref }),
  body: decisionBody,
  bodyOptional: true,
  reply: { 200: ApprovalDetails },
  problems: [ApprovalNotFound, ApprovalDecided],
  run: async ({ db, params, body, caller, log }, services: ToolServices) => {
    // Continues if the client disconnects: an approved call must end.
    const context = { db, services, log, signal: new AbortController().signal }
    const row = await approve(context, {
      approvalId: params.approvalId,
      decider: 'person' as const,
      caller,
      comment: body?.comment,
    })
    return reply(200, approvalDetails(db, services.keyring, row, services.now()))
  },
})
