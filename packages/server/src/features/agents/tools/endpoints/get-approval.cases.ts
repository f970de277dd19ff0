import { casesOf } from '../../../../testkit/cases.ts'
import { getApproval } from './get-approval.ts'

export const cases = casesOf(getApproval, { status: 200 })
