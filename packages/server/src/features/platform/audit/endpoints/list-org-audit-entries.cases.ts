import { casesOf } from '../../../../testkit/cases.ts'
import { listOrgAuditEntries } from './list-org-audit-entries.ts'

export const cases = casesOf(listOrgAuditEntries, { request: { query: { pageSize: '10' } }, status: 200 })
