import { Type } from 'typebox'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { entriesOfPage, entryPage } from '../entry-page.ts'
import { AuditEntry, AuditQuery } from '../model.ts'

export const listProjectAuditEntries = endpoint({
  id: 'listProjectAuditEntries',
  method: 'GET',
  path: '/projects/{projectIdOrName}/audit-log',
  access: 'view',
  summary: 'List the audit log of a project.',
  description: `Newest first. Without \`pageSize\`, a page has ${entriesOfPage} entries.`,
  tag: 'Audit log',
  extension: true,
  params: ProjectPath,
  query: AuditQuery,
  reply: { 200: Type.Array(AuditEntry) },
  run: async (input) => {
    const { entries, headers } = await entryPage(input.db, input)
    return reply(200, entries, headers)
  },
})
