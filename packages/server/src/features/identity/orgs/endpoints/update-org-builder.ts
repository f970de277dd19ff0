import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, type Issue, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { credentialsTopic, type PubSub } from '../../../../kernel/pubsub/index.ts'
import { bodyIssue } from '../body.ts'
import { changeRole } from '../change-membership.ts'
import { Builder, builderResource, RequestedRole, requestedRole } from '../model.ts'
import { LastOwner, MemberNotFound } from '../problems.ts'

export const updateOrgBuilder = endpoint({
  id: 'updateOrgBuilder',
  method: 'PATCH',
  path: '/orgs/{orgId}/builders/{builderId}',
  access: 'owner',
  summary: 'Change the role of a member of an organization.',
  tag: 'Organizations',
  extension: true,
  params: Path({ orgId: Ref, builderId: Ref }),
  body: Type.Object({
    updateMask: Type.Array(Type.String(), { minItems: 1, description: 'What to change: `role`.' }),
    builder: Type.Object(
      { role: Type.Optional(RequestedRole({ description: 'The new role.' })) },
      { description: 'The new value. What updateMask does not list is ignored.' },
    ),
  }),
  reply: { 200: Builder },
  problems: [NotFound, MemberNotFound, LastOwner],
  run: async (
    { caller, org, params: { builderId }, body, note },
    { database, pubsub }: { database: Database; pubsub: PubSub },
  ) => {
    const role = body.builder.role && requestedRole(body.builder.role)
    const issues: Issue[] = body.updateMask.flatMap((mask, index) =>
      mask === 'role'
        ? []
        : [bodyIssue(`updateMask[${index}]`, mask, 'This cannot be updated on a builder.', 'List only role.')],
    )
    if (body.updateMask.includes('role') && role === undefined)
      issues.push({
        in: 'body',
        name: 'builder.role',
        detail: 'updateMask lists role, but builder has no value for it.',
        remedy: 'Send builder.role: viewer, operator, developer or owner.',
      })
    if (issues.length > 0 || role === undefined) throw new InvalidInput({ issues })
    const changed = await changeRole(database.system, { orgId: org.id, builderId, by: caller.builderId, role })
    const builder = builderResource(changed.builder)
    note({ before: { ...builder, role: changed.before } })
    pubsub.notifyLocal(credentialsTopic, { table: 'memberships', id: builderId })
    return reply(200, { ...builder, role })
  },
})
