import { LRUCache } from 'lru-cache'
import type { Services } from '../../../services.ts'
import { ProxyInstallationNotFound } from './problems.ts'
import { findTarget, proxyTopic, type TargetName, type TargetRow } from './target-store.ts'

/** Believed for this long where nothing was heard; looked up again in the background after half of it. */
const ttlMs = 20_000
const entriesMax = 20_000

/** What requests of this node are sent as: looked up once, and again when the database tells of a change. */
export interface Targets {
  /** @throws ProxyInstallationNotFound */
  find(projectId: string, name: TargetName): TargetRow | Promise<TargetRow>
  stop(): void
}

/**
 * Nothing is kept of what is not there. A change is heard of through `Signals`, milliseconds after it has committed;
 * when the ear was deaf for a while, everything is looked up anew.
 *
 * @param waiting hears that a provider has asked to wait, wherever it has
 */
export function createTargets(
  { database, signals, now, log }: Pick<Services, 'database' | 'signals' | 'now' | 'log'>,
  waiting: (connectionId: string, until: Date) => void,
): Targets {
  const stopped = new AbortController()
  const cache = new LRUCache<string, TargetRow, { projectId: string; name: TargetName }>({
    max: entriesMax,
    ttl: ttlMs,
    ttlResolution: 0,
    perf: { now: () => now().getTime() },
    // A look-up that runs while a change is heard of still answers those who wait for it, and is not kept.
    ignoreFetchAbort: true,
    // What is known is believed as long as ever when it cannot be looked up again.
    noDeleteOnFetchRejection: true,
    fetchMethod: (_, __, { context: { projectId, name } }) => findTarget(database.forProject(projectId), name),
  })
  const seen: LRUCache.Status<string, TargetRow, { projectId: string; name: TargetName }> = {}
  let following: Promise<void> | undefined
  const follow = async () => {
    const { inbox, ready, release } = signals.watch(proxyTopic)
    try {
      await ready
      void listen(inbox).finally(release)
    } catch (error) {
      release()
      following = undefined
      throw error
    }
  }
  const listen = async (inbox: ReturnType<Services['signals']['watch']>['inbox']) => {
    while (!stopped.signal.aborted) {
      await inbox.wait(60_000, stopped.signal)
      if (inbox.takeLook()) cache.clear()
      const heard = inbox.take(1_000)
      const changed = new Set<string>()
      for (const said of heard.keys()) {
        const [what, connectionId = '', until] = said.split(':')
        if (what === 'wait') waiting(connectionId, new Date(Number(until)))
        else changed.add(said)
      }
      if (changed.size === 0) continue
      for (const key of cache.keys()) {
        const target = cache.peek(key)
        // A first look-up that runs may have begun before the change: what it finds is not kept.
        if (!target || changed.has(target.installationId) || changed.has(target.integrationId)) cache.delete(key)
      }
    }
  }
  const lookUp = async (key: string, context: { projectId: string; name: TargetName }): Promise<TargetRow> => {
    following ??= follow()
    await following
    const found = await cache.fetch(key, { context })
    if (!found) throw new ProxyInstallationNotFound()
    return found
  }
  return {
    find(projectId, name) {
      const key =
        'installationId' in name
          ? `${projectId} ${name.installationId}`
          : `${projectId}\n${name.integration}\n${name.groupRef}`
      const known = cache.get(key, { status: seen })
      if (known === undefined) return lookUp(key, { projectId, name })
      if ((seen.remainingTTL ?? 0) < ttlMs / 2)
        void cache
          .fetch(key, { context: { projectId, name }, forceRefresh: true })
          .catch((error: unknown) => log.warn({ err: error }, 'failed to refresh the targets of the proxy'))
      return known
    },
    stop: () => stopped.abort(),
  }
}
