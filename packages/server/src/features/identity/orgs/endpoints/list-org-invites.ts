import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, PageQuery, Path, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { listInvites } from '../invite-store.ts'
import { Invite, inviteResource } from '../model.ts'

export const listOrgInvites = endpoint({
  id: 'listOrgInvites',
  method: 'GET',
  path: '/orgs/{orgId}/invites',
  access: 'owner',
  summary: 'List all invites of an organization, newest first.',
  tag: 'Organizations',
  params: Path({ orgId: Ref }),
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(Invite) },
  problems: [NotFound],
  run: async (input, { database, now }: { database: Database; now: () => Date }) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listInvites(database.system, input.org.id, page),
      keyOf: ({ id }) => id,
    })
    const at = now()
    return reply(
      200,
      items.map((row) => inviteResource(row, at)),
      headers,
    )
  },
})
