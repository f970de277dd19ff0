import { casesOf } from '../../../../testkit/cases.ts'
import { listApprovals } from './list-approvals.ts'

export const cases = casesOf(listApprovals, { status: 200 })
