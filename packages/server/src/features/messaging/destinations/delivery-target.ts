import type { KeyObject } from 'node:crypto'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type Keyring, validSecrets } from '../../../kernel/encryption/index.ts'
import { type Collecting, type DestinationKind, kindOf, signingKey } from '../kinds/index.ts'
import { openMetadata } from './destination-metadata.ts'
import { openSecrets } from './destination-secrets.ts'
import { type DestinationRow, findDestinationById } from './store.ts'

/** What a delivery needs to know of its destination. */
export interface DeliveryTarget {
  id: string
  name: string
  /** Counts the addresses that it had: attempts are accounted to one of them. */
  urlChanges: number
  kind: DestinationKind
  /** How messages are collected; undefined if what is due is sent without waiting. */
  collecting: Collecting | undefined
  /** Whether messages of one object of an installation are sent one after the other. */
  isOrdered: boolean
  /** Of this kind. */
  settings: object
  /** Newest first. */
  keys: KeyObject[]
  /** Differs when the kind, the settings or the keys do. */
  version: string
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
  const encrypted = [
    row.encrypted_secrets,
    ...validSecrets(row.previous_secrets, now()).map((previous) => previous.encrypted),
  ]
  const kind = kindOf(row.type)
  const settings = openMetadata(keyring, row)
  return {
    id: row.id,
    name: row.name,
    urlChanges: row.url_changes,
    kind,
    collecting: kind.collecting?.(settings),
    isOrdered: kind.isOrdered?.(settings) ?? false,
    settings,
    keys: encrypted.map((text) => signingKey(openSecrets(keyring, row, text).webhookSigningKey)),
    version: [row.type, JSON.stringify(row.metadata), row.encrypted_metadata, ...encrypted].join(' '),
    failureCount: row.failure_count,
    probeAt: row.probe_at,
    failedProbes: row.failed_probes,
  }
}
