import type { Destination } from './model.ts'
import type { DestinationRow } from './store.ts'

/** A destination as callers see it. */
export function destinationResource(row: DestinationRow): Destination {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    metadata: row.metadata,
    status: row.disabled_time !== null ? 'disabled' : row.failure_count > 0 ? 'failing' : 'active',
    ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
    ...(row.disabled_time !== null && { disabledTime: row.disabled_time }),
    ...(row.first_failure_at !== null && { firstFailureTime: row.first_failure_at }),
    ...(row.failure_count > 0 && { failureCount: row.failure_count }),
    // A disabled one is not probed.
    ...(row.probe_at !== null && row.disabled_time === null && { nextProbeTime: row.probe_at }),
    createTime: row.create_time,
    ...(row.update_time !== null && { updateTime: row.update_time }),
  }
}
