import { Empty, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { checkPathId } from '../model.ts'
import { TopicNotFound } from '../problems.ts'
import { deleteTopicRow } from '../store.ts'

export const deleteTopic = endpoint({
  id: 'deleteTopic',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/topics/{topicId}',
  access: 'develop',
  summary: 'Delete a topic with its routes.',
  description: 'Events that are already routed are still delivered.',
  tag: 'Notifications',
  params: Path({ ...ProjectPath.properties, topicId: Ref }),
  reply: { 204: Empty },
  problems: [TopicNotFound],
  run: async ({ db, params: { topicId } }) => {
    checkPathId('topicId', topicId)
    if (!(await deleteTopicRow(db, topicId))) throw new TopicNotFound()
    return reply(204, null)
  },
})
