import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, Forbidden, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { listMemberships, lockBuilder, MemberNotFound, withMember } from '../../orgs/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { removeAllFactors } from '../factors/factor-changes.ts'
import { MemberOfOtherOrg } from '../problems.ts'
import { deleteSessions } from '../session-store.ts'

export const deleteOrgBuilderFactors = endpoint({
  id: 'deleteOrgBuilderFactors',
  method: 'DELETE',
  path: '/orgs/{orgId}/builders/{builderId}/factors',
  access: 'owner',
  summary: 'Remove all second factors of a member who lost them.',
  description:
    'The member can then sign in with the password alone, and all their sessions end. You can do this only for people who belong to no other organization, and not for yourself.',
  tag: 'Organizations',
  extension: true,
  params: Path({ orgId: Ref, builderId: Ref }),
  reply: { 204: Empty },
  problems: [NotFound, Forbidden, MemberNotFound, MemberOfOtherOrg],
  run: async (
    { caller, org, params: { builderId }, note },
    services: {
      builderTokens: BuilderTokens
      config: Config
      database: Database
      log: Logger
      now: () => Date
      queue: JobQueue
    },
  ) => {
    const by = caller.builderId
    const { builderTokens, database, log } = services
    const ended = await withMember(database.system, { orgId: org.id, builderId, by }, async (tx, member) => {
      // A session alone does not remove a factor: a proof is needed.
      if (member.builderId === by)
        throw new Forbidden({
          detail: 'You cannot remove your own factors here.',
          remedy: 'Use DELETE /v1/my-info/factors/{factorId}, or ask another owner.',
        })
      if (!(await lockBuilder(tx, member.builderId))) throw new MemberNotFound()
      if ((await listMemberships(tx, member.builderId)).length > 1)
        throw new MemberOfOtherOrg({
          detail: 'An owner of one organization cannot remove the factors of people who belong to others, too.',
          remedy: 'Ask the operator of this service for a link that resets the password and removes the factors.',
        })
      await removeAllFactors(tx, services, member.builderId)
      return await deleteSessions(tx, member.builderId)
    })
    for (const sessionId of ended) builderTokens.forget(sessionId)
    note({ resourceId: builderId.toLowerCase() })
    log.info({ orgId: org.id, builderId, by }, 'an owner removed the second factors of a member')
    return reply(204, null)
  },
})
