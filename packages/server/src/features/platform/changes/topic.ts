import { type Topic, topic } from '../../../kernel/pubsub/index.ts'
import { type Change, type ChangeKind, changeKinds } from './model.ts'

/**
 * Returns the topic of the changes of a project. Triggers publish changes of installations, connections, integrations,
 * destinations and provider apps; each process publishes sums of what happens more often.
 */
export function changesTopic(projectId: string): Topic<Change> {
  return topic<Change>('changes', { format: JSON.stringify, parse }, { key: projectId, isOnDemand: true })
}

function parse(text: string): Change | undefined {
  try {
    const { kind, id, groupRef, installationId } = JSON.parse(text) as Record<string, unknown>
    if (!changeKinds.includes(kind as ChangeKind)) return undefined
    return {
      kind: kind as ChangeKind,
      ...(typeof id === 'string' && { id }),
      ...(typeof groupRef === 'string' && { groupRef }),
      ...(typeof installationId === 'string' && { installationId }),
    }
  } catch {
    return undefined
  }
}
