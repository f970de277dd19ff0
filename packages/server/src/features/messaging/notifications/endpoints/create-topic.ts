import type { NewId } from '../../../../kernel/db/index.ts'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { checkTopicName, Topic, TopicInput, topicResource } from '../model.ts'
import { TopicNameTaken } from '../problems.ts'
import { insertTopic } from '../store.ts'

export const createTopic = endpoint({
  id: 'createTopic',
  method: 'POST',
  path: '/projects/{projectIdOrName}/topics',
  access: 'develop',
  summary: 'Create a topic.',
  description: 'A topic needs two routes: one from an event, and one to a destination.',
  tag: 'Notifications',
  params: ProjectPath,
  body: TopicInput,
  reply: { 201: Topic },
  problems: [TopicNameTaken],
  run: async ({ db, body: { name } }, { newId }: { newId: NewId }) => {
    checkTopicName(name)
    const row = await insertTopic(db, { id: newId(), name })
    if (!row) throw new TopicNameTaken({ detail: `This project has a topic named ${name} already.` })
    return reply(201, topicResource(row))
  },
})
