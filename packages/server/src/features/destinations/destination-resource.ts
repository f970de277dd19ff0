import type { Keyring } from '../../kernel/seal/index.ts'
import { openMetadata } from './destination-metadata.ts'
import { maskedMetadata } from './masked-metadata.ts'
import type { Destination, WebhookMetadata } from './model.ts'
import type { DestinationRow } from './store.ts'

/** Shows a destination without its secrets. */
export function destinationResource(keyring: Keyring, row: DestinationRow): Destination {
  return withMetadata(row, maskedMetadata(openMetadata(keyring, row)))
}

/** Shows a destination with its whole URL and headers: only for callers who ask for secrets. */
export function wholeDestination(keyring: Keyring, row: DestinationRow): Destination {
  return withMetadata(row, openMetadata(keyring, row))
}

function withMetadata(row: DestinationRow, metadata: WebhookMetadata): Destination {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    metadata,
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
