import { Type } from 'typebox'
import { endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { Topic, topicResource } from '../model.ts'
import { listTopicRows } from '../store.ts'

export const listTopics = endpoint({
  id: 'listTopics',
  method: 'GET',
  path: '/projects/{projectIdOrName}/topics',
  access: 'view',
  summary: 'List the topics of a project.',
  description: 'Oldest first.',
  tag: 'Notifications',
  params: ProjectPath,
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(Topic) },
  run: async (input) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listTopicRows(input.db, page),
      keyOf: ({ id }) => id,
    })
    return reply(200, items.map(topicResource), headers)
  },
})
