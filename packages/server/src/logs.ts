import { createToolCalls } from './features/agents/tools/index.ts'
import { createChangePublisher, publishCounted } from './features/platform/changes/index.ts'
import { createCountBuffer } from './features/platform/counts/index.ts'
import { createProviderEventLog } from './features/sync/provider-events/index.ts'
import type { Services } from './services.ts'

/** Creates what notes in memory what happens, and stores or publishes it every few seconds. */
export function createLogs(
  services: Pick<Services, 'config' | 'database' | 'log' | 'newId' | 'now' | 'pubsub'>,
): Pick<Services, 'changes' | 'counts' | 'providerEvents' | 'toolCalls'> {
  const changes = createChangePublisher(services)
  return {
    changes,
    toolCalls: createToolCalls(services),
    counts: createCountBuffer({
      ...services,
      counted: (...counted) => publishCounted(changes, ...counted),
    }),
    providerEvents: createProviderEventLog({
      ...services,
      stored: ({ projectId, installationId }) =>
        changes.add(projectId, { kind: 'provider-event', ...(installationId !== null && { installationId }) }),
    }),
  }
}
