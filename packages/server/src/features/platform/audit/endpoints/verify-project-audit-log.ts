import type { Config } from '../../../../config.ts'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { keptFrom } from '../kept-from.ts'
import { AuditVerification, VerifyQuery } from '../model.ts'
import { verifyPart } from '../verify.ts'

export const verifyProjectAuditLog = endpoint({
  id: 'verifyProjectAuditLog',
  method: 'GET',
  path: '/projects/{projectIdOrName}/audit-log:verify',
  access: 'view',
  summary: 'Verify a part of the audit log of a project.',
  description:
    'Recomputes the hashes of seals and entries, and names the first broken place. Call it with `nextPageToken` until that is absent.',
  tag: 'Audit log',
  extension: true,
  params: ProjectPath,
  query: VerifyQuery,
  reply: { 200: AuditVerification },
  run: async ({ db, query }, { config, now }: { config: Config; now: () => Date }) =>
    reply(200, await verifyPart(db, { token: query.pageToken, keptFrom: keptFrom(config, now()) })),
})
