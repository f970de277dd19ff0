import { sql } from 'kysely'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Renewal } from '../../tokens/index.ts'
import { findConnection } from '../store.ts'

/**
 * Stores what a token endpoint returned about the account: metadata values that the connection does not have from
 * elsewhere, and the provider's id of the person. The caller has locked the connection.
 */
export async function keepAccount(
  tx: ProjectDb,
  connectionId: string,
  { consumerRef, metadata }: Renewal['account'],
): Promise<void> {
  const row = await findConnection(tx, connectionId)
  if (!row) return
  const known = row.provider_metadata ?? {}
  const fresh = Object.entries(metadata).filter(([name, item]) => isOther(known[name], item))
  const person = consumerRef !== undefined && row.provider_consumer_ref === null ? consumerRef : undefined
  if (fresh.length === 0 && person === undefined) return
  const merged = fresh.length > 0 ? { ...known, ...Object.fromEntries(fresh) } : row.provider_metadata
  await sql`
    update connections set update_time = now(), provider_metadata = ${merged && JSON.stringify(merged)}::jsonb,
      provider_consumer_ref = coalesce(${person ?? null}, provider_consumer_ref)
    where project_id = ${tx.projectId} and id = ${connectionId}`.execute(tx.sql)
}

/** Returns whether the value is missing, or an older one from the token endpoint. */
function isOther(there: unknown, item: { value: string }): boolean {
  if (there === undefined || there === null) return true
  const { source, value } = there as { source?: unknown; value?: unknown }
  return source === 'token' && value !== item.value
}
