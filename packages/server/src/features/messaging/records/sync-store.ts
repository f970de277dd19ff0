import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { deliveryTarget, findDestinationById } from '../destinations/index.ts'
import { type RecordsSettings, recordsKind } from '../kinds/index.ts'
import { leaveRecordStore, putRecordStore } from './store.ts'

/**
 * Creates, updates or leaves the store of a destination that has changed. A delivery that began before finds no store,
 * and stores nothing.
 */
export async function syncRecordStore(
  tx: ProjectDb,
  services: { keyring: Keyring; newId: NewId; now: () => Date },
  { destinationId }: { destinationId: string },
): Promise<void> {
  const row = await findDestinationById(tx, destinationId)
  if (row?.type !== recordsKind) return await leaveRecordStore(tx, destinationId)
  const { retentionDays = null } = deliveryTarget(row, services).settings as RecordsSettings
  await putRecordStore(tx, { id: services.newId(), destinationId, retentionDays })
}
