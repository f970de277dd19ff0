import { type Database, isId } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, InvalidInput, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { findInviteOf, settleInvite } from '../invite-store.ts'
import { inviteStatus } from '../model.ts'
import { InviteNotFound } from '../problems.ts'

const endedAs = {
  accepted: 'The invite was accepted: there is nothing left to revoke.',
  revoked: 'The invite was revoked already.',
  expired: 'The invite has expired: it can no longer be accepted.',
  pending: 'The invite was changed at the same moment.',
}

export const deleteOrgInvite = endpoint({
  id: 'deleteOrgInvite',
  method: 'DELETE',
  path: '/orgs/{orgId}/invites/{inviteId}',
  access: 'ownerOrKey',
  summary: 'Revoke a pending invite. Its link stops working immediately.',
  description: 'For owners, and API keys of scope `full` of any project of the organization.',
  tag: 'Organizations',
  params: Path({ orgId: Ref, inviteId: Ref }),
  reply: { 204: Empty },
  problems: [NotFound, InviteNotFound],
  run: async ({ org, params: { inviteId } }, { database, now }: { database: Database; now: () => Date }) => {
    const { system } = database
    const row = isId(inviteId) ? await findInviteOf(system, org.id, inviteId) : undefined
    if (!row) throw new InviteNotFound()
    if (await settleInvite(system, row.id, 'revoked', now())) return reply(204, null)
    const current = (await findInviteOf(system, org.id, row.id)) ?? row
    const detail = endedAs[inviteStatus(current, now())]
    throw new InvalidInput({ detail, issues: [{ in: 'path', name: 'inviteId', value: inviteId, detail }] })
  },
})
