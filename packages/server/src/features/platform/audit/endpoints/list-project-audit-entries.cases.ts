import { casesOf } from '../../../../testkit/cases.ts'
import { listProjectAuditEntries } from './list-project-audit-entries.ts'

export const cases = casesOf(listProjectAuditEntries, { request: { query: { pageSize: '10' } }, status: 200 })
