import { LRUCache } from 'lru-cache'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { kindOf, withoutSecrets } from '../kinds/index.ts'
import { hasPlainMetadata, openMetadata } from './destination-metadata.ts'
import type { Destination } from './model.ts'
import type { DestinationRow } from './store.ts'

/** What is shown of the settings of a destination. */
interface Shown {
  metadata: object
  endpoint: string
}

/**
 * What is shown of encrypted metadata, by row and encrypted text: the same text always means the same, and to open it
 * takes longer than all else that a list does. Nothing in here is secret.
 */
const masked = new WeakMap<Keyring, LRUCache<string, Shown>>()
const maskedMax = 5_000

function shownOf(keyring: Keyring, row: DestinationRow): Shown {
  const open = () => {
    const kind = kindOf(row.type)
    const settings = openMetadata(keyring, row)
    return { metadata: withoutSecrets(kind, kind.maskSettings(settings)), endpoint: kind.endpoint(settings) }
  }
  if (hasPlainMetadata(row)) return open()
  const known = masked.get(keyring) ?? new LRUCache({ max: maskedMax })
  masked.set(keyring, known)
  const key = `${row.project_id} ${row.id} ${row.encrypted_metadata}`
  const found = known.get(key)
  if (found) return found
  const shown = open()
  known.set(key, shown)
  return shown
}

/** Shows a destination without its secrets. */
export function destinationResource(keyring: Keyring, row: DestinationRow): Destination {
  return resourceOf(row, shownOf(keyring, row))
}

/** Shows a destination with its whole metadata, without its `secrets`: only for callers who ask for secrets. */
export function destinationWithSecrets(keyring: Keyring, row: DestinationRow): Destination {
  const metadata = withoutSecrets(kindOf(row.type), openMetadata(keyring, row))
  return resourceOf(row, { ...shownOf(keyring, row), metadata })
}

function resourceOf(row: DestinationRow, { metadata, endpoint }: Shown): Destination {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    metadata,
    endpoint,
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
