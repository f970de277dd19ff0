import { casesOf } from '../../../../testkit/cases.ts'
import { waitingApproval } from '../approvals/waiting-approval.testkit.ts'
import { refuseCall } from './refuse-call.ts'

// The request of the tenant is decided.
export const cases = casesOf(refuseCall, {
  request: () => ({ body: { comment: 'Ask sales first.' } }),
  status: 409,
  example: {
    status: 200,
    request: async (world) => ({
      params: { approvalId: await waitingApproval(world, 'refused-calls') },
      body: { comment: 'Ask sales first.' },
    }),
  },
})
