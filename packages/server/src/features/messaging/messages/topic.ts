import { type ChangedRows, rowsTopic, type Topic } from '../../../kernel/pubsub/index.ts'

/** Returns the topic that streams of a project's messages subscribe to. */
export function messagesTopic(projectId: string): Topic<ChangedRows> {
  return rowsTopic('messages', projectId)
}
