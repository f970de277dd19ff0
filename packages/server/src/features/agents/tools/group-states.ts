import type { Database } from '../../../kernel/db/index.ts'
import { NodeCache, type PubSub, topic } from '../../../kernel/pubsub/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { type GroupState, groupState } from './group-state.ts'

/** Kept for this long although no notification came; read again in the background after half of it. */
const maxAgeMs = 20_000
const groupsMax = 20_000

/** What decides the tools of a project has changed, or only that of one of its groups. */
interface StateChange {
  projectId: string
  groupRef?: string | undefined
}

/** Triggers on integrations and installations publish it (migration 0113). */
const toolsTopic = topic<StateChange>('tools', {
  format: ({ projectId, groupRef }) => (groupRef === undefined ? projectId : `${projectId} ${groupRef}`),
  parse(text) {
    const end = text.indexOf(' ')
    return end < 0 ? { projectId: text } : { projectId: text.slice(0, end), groupRef: text.slice(end + 1) }
  },
})

/** The states of groups that this node keeps. */
export interface GroupStates {
  find(projectId: string, groupRef: string): GroupState | Promise<GroupState>
  /** Drops what is kept of a project: call it when a change has committed that the next request must see. */
  forget(projectId: string): void
  stop(): void
}

export function createGroupStates({
  database,
  pubsub,
  now,
  log,
}: {
  database: Database
  pubsub: PubSub
  now: () => Date
  log: Logger
}): GroupStates {
  const states = new NodeCache<GroupState, { projectId: string; groupRef: string }, StateChange>({
    pubsub,
    now,
    entriesMax: groupsMax,
    maxAgeMs,
    refreshesAhead: true,
    refreshFailed: (error) => log.warn({ err: error }, 'failed to refresh the tools of a group'),
    topic: toolsTopic,
    invalidates: ({ projectId, groupRef }) =>
      groupRef === undefined ? ({ key }) => key.startsWith(`${projectId} `) : `${projectId} ${groupRef}`,
    load: (_, { projectId, groupRef }) => groupState(database.forProject(projectId), groupRef),
  })
  const load = async (key: string, context: { projectId: string; groupRef: string }): Promise<GroupState> => {
    const state = await states.get(key, context)
    if (!state) throw new Error('the state of a group was read without an answer')
    return state
  }
  return {
    find(projectId, groupRef) {
      const key = `${projectId} ${groupRef}`
      const context = { projectId, groupRef }
      return states.peek(key, context) ?? load(key, context)
    },
    forget: (projectId) => pubsub.notifyLocal(toolsTopic, { projectId }),
    stop: () => states.close(),
  }
}
