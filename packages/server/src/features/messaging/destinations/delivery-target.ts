import type { KeyObject } from 'node:crypto'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import { openMetadata } from './destination-metadata.ts'
import { signingKey, validSecrets } from './signing.ts'
import { type DestinationRow, findDestinationById } from './store.ts'

/** What a drain needs to know of its destination. */
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
  probeRung: number
}

/** The destination as it is now; undefined when it is disabled or gone. */
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
    probeRung: row.probe_rung,
  }
}

export interface DestinationSecrets {
  webhookSigningKey: string
}

/** Where secrets of a destination are sealed to; replaced ones keep the place in which they were sealed. */
function place(destination: { project_id: string; id: string }) {
  return { table: 'destinations', project: destination.project_id, row: destination.id, column: 'sealed_secrets' }
}

export function sealSecrets(
  keyring: Keyring,
  destination: { project_id: string; id: string },
  secrets: DestinationSecrets,
): string {
  return createEnvelope(keyring).seal(JSON.stringify(secrets), place(destination))
}

export function openSecrets(
  keyring: Keyring,
  destination: Pick<DestinationRow, 'project_id' | 'id'>,
  sealed: string,
): DestinationSecrets {
  return JSON.parse(createEnvelope(keyring).open(sealed, place(destination)).toString())
}
