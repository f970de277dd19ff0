import type { SharedLimits } from '../../../../kernel/rate-limits/index.ts'
import type { ConnectionHandle, ConnectionHandles } from '../../../provider-calls/calls/index.ts'
import { createConnectionHandle } from './connection-handle.ts'
import { type RenewalRequest, type RenewServices, renewCredential } from './renew-credential.ts'
import type { Snapshot } from './snapshot.ts'
import { type SnapshotServices, Snapshots } from './snapshots.ts'

/** What handles of connections share on one node. */
export interface Live {
  snapshots: Snapshots
  /**
   * Renews a generation of a credential: one renewal per connection on this node, which everybody who asks meanwhile
   * waits for.
   */
  renew(request: RenewalRequest): Promise<void>
}

/** Keeps the connections that this node uses. */
export function createConnectionHandles(
  services: RenewServices & SnapshotServices & { limits: SharedLimits },
): ConnectionHandles {
  const snapshots = new Snapshots(services)
  const renewals = new Map<string, Promise<void>>()
  const live: Live = {
    snapshots,
    renew(request) {
      const key = `${request.projectId} ${request.connectionId} ${request.generation}`
      const running = renewals.get(key)
      if (running) return running
      const renewal = renewCredential(services, request).finally(() => {
        renewals.delete(key)
        // Heard of soon; whoever waited must not see the old one first.
        snapshots.forget(request.projectId, request.connectionId)
      })
      renewals.set(key, renewal)
      return renewal
    },
  }
  // Handles hold nothing of their own: one serves all who use a connection.
  const handles = new WeakMap<Snapshot, ConnectionHandle>()
  const handleOf = (snapshot: Snapshot): ConnectionHandle => {
    let handle = handles.get(snapshot)
    if (!handle) {
      handle = createConnectionHandle(services, live, snapshot)
      handles.set(snapshot, handle)
    }
    return handle
  }
  return {
    async open(projectId, connectionId) {
      return handleOf(await snapshots.get(projectId, connectionId))
    },
    peek(projectId, connectionId) {
      const snapshot = snapshots.peek(projectId, connectionId)
      return snapshot && handleOf(snapshot)
    },
    async renew(projectId, connectionId, why) {
      // What is remembered here may be a moment old, and nobody would notice that nothing was done.
      snapshots.forget(projectId, connectionId)
      const { row, isRenewable } = await snapshots.get(projectId, connectionId)
      if (isRenewable) await live.renew({ projectId, connectionId, generation: row.generation, why })
    },
    forget: (projectId, connectionId) => snapshots.forget(projectId, connectionId),
    async stop() {
      await Promise.allSettled(renewals.values())
      snapshots.stop()
    },
  }
}
