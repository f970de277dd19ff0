import { casesOf } from '../../../../testkit/cases.ts'
import { verifyProjectAuditLog } from './verify-project-audit-log.ts'

export const cases = casesOf(verifyProjectAuditLog, { status: 200 })
