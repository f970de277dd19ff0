import type { Database } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, Forbidden, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { credentialsTopic, type PubSub } from '../../../../kernel/pubsub/index.ts'
import { removeMember } from '../change-membership.ts'
import { LastOwner, MemberNotFound } from '../problems.ts'

export const deleteOrgBuilder = endpoint({
  id: 'deleteOrgBuilder',
  method: 'DELETE',
  path: '/orgs/{orgId}/builders/{builderId}',
  access: 'member',
  summary: 'Remove a member from an organization.',
  description:
    'An owner can remove anyone; others can only leave. Their sessions and tokens lose the organization, and their pending invites to it are revoked. Their account stays.',
  tag: 'Organizations',
  extension: true,
  params: Path({ orgId: Ref, builderId: Ref }),
  reply: { 204: Empty },
  problems: [NotFound, Forbidden, MemberNotFound, LastOwner],
  run: async ({ caller, org, params: { builderId } }, { database, pubsub }: { database: Database; pubsub: PubSub }) => {
    await removeMember(database.system, { orgId: org.id, builderId, by: caller.builderId })
    pubsub.notifyLocal(credentialsTopic, { table: 'memberships', id: builderId })
    return reply(204, null)
  },
})
