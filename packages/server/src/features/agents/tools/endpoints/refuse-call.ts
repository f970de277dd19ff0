import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { ApprovalDetails, approvalDetails } from '../approvals/approval-resource.ts'
import { refuse } from '../approvals/approve.ts'
import { decisionBody } from '../approvals/decision-body.ts'
import { ApprovalDecided, ApprovalNotFound } from '../problems.ts'
import type { ToolServices } from '../tool-services.ts'

export const refuseCall = endpoint({
  id: 'refuseCall',
  method: 'POST',
  path: '/projects/{projectIdOrName}/approvals/{approvalId}:refuse',
  access: 'operate',
  summary: 'Refuse a call of an agent.',
  description: 'Nothing changes in the account. The agent gets your comment.',
  tag: 'Tools',
  audit: { verb: 'refuse', resource: 'approval', isOfCustomer: true },
  extension: true,
  params: Path({ ...ProjectPath.properties, approvalId: Ref }),
  body: decisionBody,
  bodyOptional: true,
  reply: { 200: ApprovalDetails },
  problems: [ApprovalNotFound, ApprovalDecided],
  run: async ({ db, params, body, caller, log }, services: ToolServices) => {
    const context = { db, services, log, signal: new AbortController().signal }
    const row = await refuse(context, {
      approvalId: params.approvalId,
      decider: 'person' as const,
      caller,
      comment: body?.comment,
    })
    return reply(200, approvalDetails(db, services.keyring, row, services.now()))
  },
})
