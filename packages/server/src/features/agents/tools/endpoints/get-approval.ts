import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { ApprovalDetails, approvalDetails } from '../approvals/approval-resource.ts'
import { findApproval } from '../approvals/approval-store.ts'
import { ApprovalNotFound } from '../problems.ts'

export const getApproval = endpoint({
  id: 'getApproval',
  method: 'GET',
  path: '/projects/{projectIdOrName}/approvals/{approvalId}',
  access: 'view',
  summary: 'Get a call that a person must approve, with its arguments.',
  tag: 'Tools',
  extension: true,
  params: Path({ ...ProjectPath.properties, approvalId: Ref }),
  reply: { 200: ApprovalDetails },
  problems: [ApprovalNotFound],
  run: async ({ db, params }, services: { keyring: Keyring; now: () => Date }) => {
    const row = await findApproval(db, params.approvalId)
    if (!row) throw new ApprovalNotFound()
    return reply(200, approvalDetails(db, services.keyring, row, services.now()))
  },
})
