import { type ChangedRows, rowsTopic, type Topic } from '../../../kernel/pubsub/index.ts'

/** Returns the topic that streams of a project's logs subscribe to. */
export function logsTopic(projectId: string): Topic<ChangedRows> {
  return rowsTopic('logs', projectId)
}
