import { Type } from 'typebox'
import { endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { Group, groupResource } from '../resource.ts'
import { listGroupRows } from '../store.ts'

export const listGroups = endpoint({
  id: 'listGroups',
  method: 'GET',
  path: '/projects/{projectIdOrName}/groups',
  access: 'view',
  summary: 'List the groups of the project, sorted by ref.',
  tag: 'Groups and consumers',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    query: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Only those with this text in their ref or name, in any case. No character has a special meaning.',
      }),
    ),
    ...PageQuery,
  }),
  reply: { 200: Type.Array(Group) },
  run: async (input) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listGroupRows(input.db, { ...page, query: input.query.query }),
      keyOf: ({ group_ref: ref }) => ref,
      isKey: () => true,
    })
    return reply(200, items.map(groupResource), headers)
  },
})
