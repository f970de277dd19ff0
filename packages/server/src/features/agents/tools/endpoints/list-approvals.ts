import { Type } from 'typebox'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { Enum, endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { Approval, approvalResource } from '../approvals/approval-resource.ts'
import { listApprovalRows } from '../approvals/approval-store.ts'

export const listApprovals = endpoint({
  id: 'listApprovals',
  method: 'GET',
  path: '/projects/{projectIdOrName}/approvals',
  access: 'view',
  summary: 'List calls of agents that somebody must approve.',
  description: 'Newest first, without their arguments.',
  tag: 'Tools',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    groupRef: Type.Optional(Type.String({ minLength: 1, description: 'Only calls for this group.' })),
    status: Type.Optional(
      Enum(['waiting', 'asking', 'ended'], {
        description:
          '`waiting`: calls that can be approved now. `asking`: calls that wait for the user of a client. `ended`: all others.',
      }),
    ),
    ...PageQuery,
  }),
  reply: { 200: Type.Array(Approval) },
  run: async (input, services: { keyring: Keyring; now: () => Date }) => {
    const { db, query } = input
    const now = services.now()
    const { items, headers } = await pageOf(input, {
      list: (page) => listApprovalRows(db, { groupRef: query.groupRef, status: query.status, now }, page),
      keyOf: ({ id }) => id,
      pageSizeDefault: 100,
    })
    return reply(
      200,
      items.map((row) => approvalResource(row, now)),
      headers,
    )
  },
})
