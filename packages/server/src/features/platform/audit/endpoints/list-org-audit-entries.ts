import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { entriesOfPage, entryPage } from '../entry-page.ts'
import { AuditEntry, AuditQuery } from '../model.ts'

export const listOrgAuditEntries = endpoint({
  id: 'listOrgAuditEntries',
  method: 'GET',
  path: '/orgs/{orgId}/audit-log',
  access: 'owner',
  summary: 'List the audit log of an organization.',
  description: `Newest first. Without \`pageSize\`, a page has ${entriesOfPage} entries.`,
  tag: 'Audit log',
  extension: true,
  params: Path({ orgId: Ref }),
  query: AuditQuery,
  reply: { 200: Type.Array(AuditEntry) },
  problems: [NotFound],
  run: async (input, { database }: { database: Database }) => {
    const { entries, headers } = await entryPage(database.forProject(input.org.id), input)
    return reply(200, entries, headers)
  },
})
