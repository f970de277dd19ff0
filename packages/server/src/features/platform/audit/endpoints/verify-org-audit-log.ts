import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { keptFrom } from '../kept-from.ts'
import { AuditVerification, VerifyQuery } from '../model.ts'
import { verifyPart } from '../verify.ts'

export const verifyOrgAuditLog = endpoint({
  id: 'verifyOrgAuditLog',
  method: 'GET',
  path: '/orgs/{orgId}/audit-log:verify',
  access: 'owner',
  summary: 'Verify a part of the audit log of an organization.',
  description:
    'Recomputes the hashes of seals and entries, and names the first broken place. Call it with `nextPageToken` until that is absent.',
  tag: 'Audit log',
  extension: true,
  params: Path({ orgId: Ref }),
  query: VerifyQuery,
  reply: { 200: AuditVerification },
  problems: [NotFound],
  run: async ({ org, query }, { config, database, now }: { config: Config; database: Database; now: () => Date }) =>
    reply(
      200,
      await verifyPart(database.forProject(org.id), { token: query.pageToken, keptFrom: keptFrom(config, now()) }),
    ),
})
