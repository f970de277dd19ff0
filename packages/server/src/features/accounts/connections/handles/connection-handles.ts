import { CostBudget } from '@mortise/providers'
import { LRUCache } from 'lru-cache'
import { entriesAtMost } from '../../../../kernel/entries-max.ts'
import type { SharedLimits } from '../../../../kernel/rate-limits/index.ts'
import { createAppValues } from '../../../integrations/provider-apps/index.ts'
import type { ConnectionHandle, ConnectionHandles } from '../../../provider-calls/calls/index.ts'
import { createConnectionHandle } from './connection-handle.ts'
import type { NodeState } from './node-state.ts'
import { type RenewServices, renewCredential } from './renew-credential.ts'
import type { Snapshot } from './snapshot.ts'
import { type SnapshotServices, Snapshots } from './snapshots.ts'

/** A budget that a node drops is known again with the next response. */
const costBudgetsMax = 10_000

/** Creates the handles of the connections that this node uses. */
export function createConnectionHandles(
  services: RenewServices & SnapshotServices & { limits: SharedLimits },
): ConnectionHandles {
  const snapshots = new Snapshots(services)
  const appValues = createAppValues(services)
  const renewals = new Map<string, Promise<void>>()
  const costBudgets = new LRUCache<string, CostBudget>(entriesAtMost(costBudgetsMax))
  const state: NodeState = {
    snapshots,
    appValues,
    costBudget(projectId, connectionId) {
      const key = `${projectId} ${connectionId}`
      const budget = costBudgets.get(key) ?? new CostBudget()
      costBudgets.set(key, budget)
      return budget
    },
    renew(request) {
      const key = `${request.projectId} ${request.connectionId} ${request.generation}`
      const running = renewals.get(key)
      if (running) return running
      const renewal = renewCredential(services, request).finally(() => {
        renewals.delete(key)
        // The notification arrives soon, but a caller that waited must not see the old snapshot first.
        snapshots.forget(request.projectId, request.connectionId)
      })
      renewals.set(key, renewal)
      return renewal
    },
  }
  // Handles have no state, so all users of a connection share one.
  const handles = new WeakMap<Snapshot, ConnectionHandle>()
  const handleOf = (snapshot: Snapshot): ConnectionHandle => {
    let handle = handles.get(snapshot)
    if (!handle) {
      handle = createConnectionHandle(services, state, snapshot)
      handles.set(snapshot, handle)
    }
    return handle
  }
  return {
    async open(projectId, connectionId) {
      return handleOf(await snapshots.get(projectId, connectionId))
    },
    peekAt(projectId, connectionId) {
      const peek = snapshots.peekAt(projectId, connectionId)
      return () => {
        const snapshot = peek()
        return snapshot && handleOf(snapshot)
      }
    },
    async renew(projectId, connectionId, why) {
      // The cached snapshot may be stale, and the caller would not notice that nothing was renewed.
      snapshots.forget(projectId, connectionId)
      const { row, isRenewable } = await snapshots.get(projectId, connectionId)
      if (isRenewable) await state.renew({ projectId, connectionId, generation: row.generation, why })
    },
    forget: (projectId, connectionId) => snapshots.forget(projectId, connectionId),
    async stop() {
      await Promise.allSettled(renewals.values())
      snapshots.stop()
      appValues.stop()
    },
  }
}
