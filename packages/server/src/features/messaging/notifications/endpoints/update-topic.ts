import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { checkPathId, checkTopicName, Topic, TopicInput, topicResource } from '../model.ts'
import { TopicNameTaken, TopicNotFound } from '../problems.ts'
import { updateTopicRow } from '../store.ts'

export const updateTopic = endpoint({
  id: 'updateTopic',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/topics/{topicId}',
  access: 'develop',
  summary: 'Rename a topic.',
  description: 'Its routes remain.',
  tag: 'Notifications',
  params: Path({ ...ProjectPath.properties, topicId: Ref }),
  body: TopicInput,
  reply: { 200: Topic },
  problems: [TopicNotFound, TopicNameTaken],
  run: async ({ db, params: { topicId }, body: { name } }) => {
    checkPathId('topicId', topicId)
    checkTopicName(name)
    const row = await updateTopicRow(db, { id: topicId, name }).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== uniqueViolation) throw error
      throw new TopicNameTaken({ detail: `This project has a topic named ${name} already.`, cause: error })
    })
    if (!row) throw new TopicNotFound()
    return reply(200, topicResource(row))
  },
})

/** SQLSTATE: another topic has the name. */
const uniqueViolation = '23505'
