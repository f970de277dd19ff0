import { listOrgAuditEntries } from './endpoints/list-org-audit-entries.ts'
import { listProjectAuditEntries } from './endpoints/list-project-audit-entries.ts'
import { verifyOrgAuditLog } from './endpoints/verify-org-audit-log.ts'
import { verifyProjectAuditLog } from './endpoints/verify-project-audit-log.ts'

export { createAuditLog } from './audit-log.ts'
export { auditTicks } from './audit-ticks.ts'
export type { StoredEntry } from './entry.ts'
export { entryResource } from './model.ts'
export { type OperatorCommand, recordOperatorCommand } from './operator-entry.ts'
export { listEntriesOf, madeEntries, madeEntriesUnsealed } from './store.ts'

export const auditEndpoints = [listProjectAuditEntries, verifyProjectAuditLog, listOrgAuditEntries, verifyOrgAuditLog]
