import { Type } from 'typebox'
import { type Database, isId } from '../../../../kernel/db/index.ts'
import {
  Empty,
  endpoint,
  Forbidden,
  InvalidInput,
  NotFound,
  needsRole,
  Path,
  Ref,
  reply,
} from '../../../../kernel/http/index.ts'
import { bodyIssue } from '../body.ts'
import { findBuilder } from '../builder-store.ts'
import { findClaimOn } from '../join-by-domain.ts'
import { findRoleInOrg, insertMembership } from '../membership-store.ts'
import { AddressNotVerified, BuilderNotFound, RemovedFromOrg } from '../problems.ts'
import { wasRemoved } from '../removed-member-store.ts'

export const addUserToOrg = endpoint({
  id: 'addUserToOrg',
  method: 'POST',
  path: '/orgs/{orgId}/memberships',
  access: 'builder',
  summary: 'Add a builder to an organization, as a developer.',
  description:
    'Owners can add anyone. Without a role, you can add yourself if the organization has claimed the domain of your verified email address.',
  tag: 'Organizations',
  params: Path({ orgId: Ref }),
  body: Type.Object({ builderId: Type.String({ description: 'Id of the builder, from GET /my-info.' }) }),
  reply: { 201: Empty },
  problems: [Forbidden, NotFound, BuilderNotFound, AddressNotVerified, RemovedFromOrg],
  run: async ({ caller, params, body: { builderId }, note }, { database }: { database: Database }) => {
    const { system } = database
    const membership = await findRoleInOrg(system, caller.builderId, params.orgId)
    const itself = builderId.toLowerCase() === caller.builderId
    let orgId = membership?.orgId
    if (membership) {
      if (membership.role !== 'owner' && !itself) throw needsRole('owner', membership.role, 'Adding others')
    } else {
      const builder = await findBuilder(system, caller.builderId)
      const claim = builder && (await findClaimOn(system, builder.email))
      // If the organization did not claim the caller's domain, it must not reveal that it exists.
      if (!claim || claim.org_id !== params.orgId.toLowerCase())
        throw new NotFound({ detail: 'Organization not found.' })
      if (!itself)
        throw new Forbidden({
          detail: 'You may join this organization, but not add others to it.',
          remedy: 'Send your own builder id, from GET /my-info.',
        })
      if (!builder.email_verified) throw new AddressNotVerified()
      if (await wasRemoved(system, { orgId: claim.org_id, builderId: builder.id })) throw new RemovedFromOrg()
      orgId = claim.org_id
    }
    const added = isId(builderId) ? await findBuilder(system, builderId) : undefined
    if (!added || orgId === undefined) throw new BuilderNotFound()
    if (!(await insertMembership(system, { orgId, builderId: added.id, role: 'developer' })))
      throw new InvalidInput({
        issues: [bodyIssue('builderId', builderId, 'This builder already belongs to the organization.')],
      })
    note({ log: orgId, resourceId: added.id })
    return reply(201, null)
  },
})
