import type { KeyObject } from 'node:crypto'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { openMetadata } from './destination-metadata.ts'
import { openSecrets } from './destination-secrets.ts'
import { signingKey, validSecrets } from './signing.ts'
import { type DestinationRow, findDestinationById } from './store.ts'

/** What a delivery needs to know of its destination. */
export interface DeliveryTarget {
  id: string
  /** Counts the URLs that it had: attempts are accounted to one of them. */
  urlChanges: number
  url: URL
  headers: Record<string, string>
  /** Newest first. */
  keys: KeyObject[]
  failureCount: number
  probeAt: Date | null
  /** Probes that have failed. */
  failedProbes: number
}

/** The destination as it is now; undefined when it is disabled or deleted. */
export async function findDeliveryTarget(
  db: ProjectDb,
  { keyring, now }: { keyring: Keyring; now: () => Date },
  id: string,
): Promise<DeliveryTarget | undefined> {
  const row = await findDestinationById(db, id)
  return row && row.disabled_time === null ? deliveryTarget(row, { keyring, now }) : undefined
}

/** How a destination is delivered to, whether it is enabled or not. */
export function deliveryTarget(
  row: DestinationRow,
  { keyring, now }: { keyring: Keyring; now: () => Date },
): DeliveryTarget {
  const { url, headers = {} } = openMetadata(keyring, row)
  const sealed = [row.sealed_secrets, ...validSecrets(row.previous_secrets, now()).map((previous) => previous.sealed)]
  return {
    id: row.id,
    urlChanges: row.url_changes,
    url: new URL(url),
    headers,
    keys: sealed.map((text) => signingKey(openSecrets(keyring, row, text).webhookSigningKey)),
    failureCount: row.failure_count,
    probeAt: row.probe_at,
    failedProbes: row.probe_rung,
  }
}
