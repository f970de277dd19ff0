import type { Client } from '@mortise/client'
import { NotFound } from '../service/not-found.ts'

/** The id of a topic that is named by its name, which the service does not know topics by. @throws NotFound */
export async function topicId(mortise: Client, nameOrId: string, signal: AbortSignal): Promise<string> {
  const topics = await mortise.listTopics({}, { signal })
  const found = topics.find(({ name, id }) => name === nameOrId || id === nameOrId)
  if (!found)
    throw new NotFound(`The project has no topic “${nameOrId}”. \`mortise list topics\` shows those that it has.`)
  return found.id
}
