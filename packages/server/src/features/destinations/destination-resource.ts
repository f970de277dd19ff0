import type { Destination } from './model.ts'
import type { DestinationRow } from './store.ts'

/** A destination as callers see it. */
export function destinationResource(row: DestinationRow): Destination {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    metadata: row.metadata,
    status: row.disabled_time === null ? 'enabled' : 'disabled',
    ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
    createTime: row.create_time,
    ...(row.update_time !== null && { updateTime: row.update_time }),
  }
}
