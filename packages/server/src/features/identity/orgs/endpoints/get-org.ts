import { endpoint, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import type { Services } from '../../../../services.ts'
import { Org, orgResource } from '../model.ts'
import { findOrg } from '../org-store.ts'

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
  run: async ({ org }, { database }: Pick<Services, 'database'>) => {
    const row = await findOrg(database.system, org.id)
    if (!row) throw new NotFound({ detail: 'Organization not found.' })
    return reply(200, orgResource(row))
  },
})
