import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, PageQuery, Path, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { isJoinedKey, listBuilders } from '../builder-store.ts'
import { Builder, builderResource } from '../model.ts'

export const listOrgBuilders = endpoint({
  id: 'listOrgBuilders',
  method: 'GET',
  path: '/orgs/{orgId}/builders',
  access: 'member',
  summary: 'List the members of an organization, in the order of joining.',
  tag: 'Organizations',
  params: Path({ orgId: Ref }),
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(Builder) },
  problems: [NotFound],
  run: async (input, { database }: { database: Database }) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listBuilders(database.system, input.org.id, page),
      keyOf: ({ joined_key: key }) => key,
      isKey: isJoinedKey,
    })
    return reply(
      200,
      items.map((row) => ({ ...builderResource(row), role: row.role })),
      headers,
    )
  },
})
