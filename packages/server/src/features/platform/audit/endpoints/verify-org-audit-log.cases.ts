import { casesOf } from '../../../../testkit/cases.ts'
import { verifyOrgAuditLog } from './verify-org-audit-log.ts'

export const cases = casesOf(verifyOrgAuditLog, { status: 200 })
