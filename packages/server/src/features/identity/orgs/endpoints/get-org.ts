import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { findOrg } from '../../projects/index.ts'
import { Org, orgResource } from '../model.ts'

export const getOrg = endpoint({
  id: 'getOrg',
  method: 'GET',
  path: '/orgs/{orgId}',
  access: 'member',
  summary: 'Show an organization.',
  tag: 'Organizations',
  params: Path({ orgId: Ref }),
  reply: { 200: Org },
  problems: [NotFound],
  run: async ({ org }, { database }: { database: Database }) => {
    const row = await findOrg(database.system, org.id)
    if (!row) throw new NotFound({ detail: 'Organization not found.' })
    return reply(200, orgResource(row))
  },
})
