import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { createTimeOf, type RecordChange, type StoreOptions } from '../kinds/index.ts'
import { contentStorer, recordKey, type StoreContent } from './content.ts'
import { type RecordToStore, shareInstallations, takePositions, upsertRecords } from './write-store.ts'

/** Records of one statement. */
const recordsAtOnce = 5_000

/**
 * Stores what messages say of records, at most once each, in one transaction. Records of installations that were
 * deleted are left out.
 *
 * @returns false if the destination stores no records any more
 */
export async function storeRecords(
  db: ProjectDb,
  { keyring, destinationId }: { keyring: Keyring; destinationId: string },
  changes: readonly RecordChange[],
  { isEncrypted, after }: StoreOptions,
): Promise<boolean> {
  if (changes.length === 0) return true
  const storeContent = contentStorer(keyring, { isEncrypted })
  const records = changes.map((change) => recordToStore(db.projectId, change, storeContent))
  const installations = [...new Set(records.map((record) => record.installation_id))]
  await Promise.allSettled([after])
  return await db.transaction(async (tx) => {
    const existing = await shareInstallations(tx, installations)
    const kept = records.filter((record) => existing.has(record.installation_id))
    const taken = await takePositions(tx, destinationId, Math.max(kept.length, 1))
    if (taken === undefined) return false
    for (let at = 0; at < kept.length; at += recordsAtOnce)
      await upsertRecords(tx, { ...taken, first: taken.first + at }, kept.slice(at, at + recordsAtOnce))
    return true
  })
}

function recordToStore(projectId: string, change: RecordChange, storeContent: StoreContent): RecordToStore {
  const key = recordKey(change)
  const place = { project_id: projectId, installation_id: change.installation, record_key: key }
  return {
    installation_id: change.installation,
    record_key: key,
    object_name: change.object,
    record_id: change.id,
    group_ref: change.group,
    provider: change.provider,
    workspace: change.workspace,
    message_id: change.message,
    content_message_id: change.content?.message ?? null,
    deleted_at: change.isDeleted ? createTimeOf({ id: change.message }).toISOString() : null,
    ...storeContent(place, change.content?.value),
  }
}
