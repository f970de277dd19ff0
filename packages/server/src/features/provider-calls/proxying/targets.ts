import type { Database } from '../../../kernel/db/index.ts'
import { NodeCache, type PubSub } from '../../../kernel/pubsub/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import type { ConnectionHandle, ConnectionHandles } from '../calls/index.ts'
import { ProxyInstallationNotFound } from './problems.ts'
import { findTarget, type ProxyChange, proxyTopic, type TargetName, type TargetRow } from './target-store.ts'

/** Kept for this long although no notification came; looked up again in the background after half of it. */
const maxAgeMs = 20_000
const entriesMax = 20_000

export interface Target extends TargetRow {
  /** Returns the handle of its connection if this node already uses it. */
  peekHandle(): ConnectionHandle | undefined
}

/** What requests of this node are sent as: looked up once, and again when the database notifies of a change. */
export interface Targets {
  /** @throws ProxyInstallationNotFound */
  find(projectId: string, name: TargetName): Target | Promise<Target>
  stop(): void
}

/**
 * Only targets that exist are kept.
 *
 * @param waiting called when a provider has asked to wait, on any node
 */
export function createTargets(
  services: {
    database: Database
    pubsub: PubSub
    connectionHandles: Pick<ConnectionHandles, 'peekAt'>
    now: () => Date
    log: Logger
  },
  waiting: (connectionId: string, until: Date) => void,
): Targets {
  const { database, pubsub, connectionHandles, now, log } = services
  const targets = new NodeCache<Target, { projectId: string; name: TargetName }, ProxyChange>({
    pubsub,
    now,
    entriesMax,
    maxAgeMs,
    refreshesAhead: true,
    refreshFailed: (error) => log.warn({ err: error }, 'failed to refresh the targets of the proxy'),
    topic: proxyTopic,
    invalidates(change) {
      if ('changedId' in change)
        return ({ value }) => value?.installationId === change.changedId || value?.integrationId === change.changedId
      waiting(change.connectionId, change.waitUntil)
      return undefined
    },
    async load(_, { projectId, name }) {
      const row = await findTarget(database.forProject(projectId), name)
      return row && { ...row, peekHandle: connectionHandles.peekAt(projectId, row.connectionId) }
    },
  })
  const load = async (key: string, context: { projectId: string; name: TargetName }): Promise<Target> => {
    const found = await targets.get(key, context)
    if (!found) throw new ProxyInstallationNotFound()
    return found
  }
  return {
    find(projectId, name) {
      const key =
        'installationId' in name
          ? `${projectId} ${name.installationId}`
          : `${projectId}\n${name.integration}\n${name.groupRef}`
      const context = { projectId, name }
      return targets.peek(key, context) ?? load(key, context)
    },
    stop: () => targets.close(),
  }
}
