import { type Database, isId } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { findInviteOf } from '../invite-store.ts'
import { Invite, inviteResource } from '../model.ts'
import { InviteNotFound } from '../problems.ts'

export const getOrgInvite = endpoint({
  id: 'getOrgInvite',
  method: 'GET',
  path: '/orgs/{orgId}/invites/{inviteId}',
  access: 'owner',
  summary: 'Show an invite.',
  tag: 'Organizations',
  params: Path({ orgId: Ref, inviteId: Ref }),
  reply: { 200: Invite },
  problems: [NotFound, InviteNotFound],
  run: async ({ org, params: { inviteId } }, { database, now }: { database: Database; now: () => Date }) => {
    const row = isId(inviteId) ? await findInviteOf(database.system, org.id, inviteId) : undefined
    if (!row) throw new InviteNotFound()
    return reply(200, inviteResource(row, now()))
  },
})
