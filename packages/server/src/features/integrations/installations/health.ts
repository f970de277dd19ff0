import type { ProjectDb } from '../../../kernel/db/index.ts'
import { recordEvents } from '../../platform/timelines/index.ts'
import type { ConnectionStatus } from '../../provider-calls/calls/index.ts'
import type { HealthStatus } from './resource.ts'
import { listHealthCauses, lockInstallationsOf, setHealthStatus } from './store.ts'

/** What can make an installation unhealthy. */
export interface HealthCauses {
  connectionStatus: ConnectionStatus
  /** Objects whose reads were paused after repeated failures. */
  failingReads: number
  /** Objects whose backfill could not end. */
  failingBackfills?: number
  /** Its subscription at the provider could not be set up. */
  isSubscribeFailing?: boolean
}

/** Returns `healthy` if there is no cause for `unhealthy` (contract, row 8). */
export function healthStatus({
  connectionStatus,
  failingReads,
  failingBackfills = 0,
  isSubscribeFailing,
}: HealthCauses): HealthStatus {
  return connectionStatus === 'bad_credentials' || failingReads + failingBackfills > 0 || isSubscribeFailing === true
    ? 'unhealthy'
    : 'healthy'
}

/**
 * Brings the health of installations in line with its causes: call it in the transaction that changed one of them. The
 * caller has locked the installation. Those of a connection are locked here, so that of two changes of causes the
 * second sees the first.
 *
 * @param of one installation, or all of one connection
 */
export async function refreshHealth(
  tx: ProjectDb,
  of: { installationId: string } | { connectionId: string },
): Promise<void> {
  if ('connectionId' in of) await lockInstallationsOf(tx, of.connectionId)
  const installations = await listHealthCauses(tx, of)
  for (const health of ['healthy', 'unhealthy'] as const) {
    const ids = installations
      .filter((causes) => causes.healthStatus !== health && healthStatus(causes) === health)
      .map(({ id }) => id)
    if (ids.length === 0) continue
    await setHealthStatus(tx, ids, health)
    const details = { healthStatus: health }
    await recordEvents(
      tx,
      ids.map((installationId) => ({ kind: 'installation.health', of: { installationId }, details })),
    )
  }
}

/** The health of a connection's installations follows its status. Part of the hook `connectionStatusChanged`. */
export async function connectionStatusReached(tx: ProjectDb, change: { connectionId: string }): Promise<void> {
  await refreshHealth(tx, { connectionId: change.connectionId })
}
