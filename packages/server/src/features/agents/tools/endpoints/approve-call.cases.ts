import { casesOf } from '../../../../testkit/cases.ts'
import { waitingApproval } from '../approvals/waiting-approval.testkit.ts'
import { approveCall } from './approve-call.ts'

// The request of the tenant is decided.
export const cases = casesOf(approveCall, {
  request: () => ({ body: { comment: 'Checked with the customer.' } }),
  status: 409,
  example: {
    status: 200,
    request: async (world) => ({
      params: { approvalId: await waitingApproval(world, 'approved-calls') },
      body: { comment: 'Checked with the customer.' },
    }),
  },
})
