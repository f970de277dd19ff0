import { Type } from 'typebox'
import { endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { Consumer, consumerResource } from '../resource.ts'
import { listConsumerRows } from '../store.ts'

export const listConsumers = endpoint({
  id: 'listConsumers',
  method: 'GET',
  path: '/projects/{projectIdOrName}/consumers',
  access: 'view',
  summary: 'List the consumers of the project, sorted by ref.',
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
  reply: { 200: Type.Array(Consumer) },
  run: async (input) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listConsumerRows(input.db, { ...page, query: input.query.query }),
      keyOf: ({ consumer_ref: ref }) => ref,
      isKey: () => true,
    })
    return reply(200, items.map(consumerResource), headers)
  },
})
