import type { AddCommand } from '../command.ts'
import { addAuditExport } from './audit-export.ts'
import { addAuditList } from './audit-list.ts'
import { addAuditVerify } from './audit-verify.ts'

export const addAudit: AddCommand = (program, terminal) => {
  const audit = program
    .command('audit')
    .description('List, export or verify the audit log.')
    .addHelpText('after', '\nExample:\n  mortise audit list --from 7d')
  addAuditList(audit, terminal)
  addAuditExport(audit, terminal)
  addAuditVerify(audit, terminal)
}
