import { type Selectable, sql, type Transaction } from 'kysely'
import { isId, type ProjectDb, type Tables } from '../../../kernel/db/index.ts'
import type { DispatchTable, Work } from '../../../kernel/work/index.ts'

/** Renewals are work without a lease: a renewal locks its row while it calls the provider. */
const renewals: DispatchTable<Selectable<Tables['connection_credentials']>> = {
  table: 'connection_credentials',
  key: ['project_id', 'connection_id'],
  due: 'renew_at',
}

/**
 * Claims due renewals across projects, and makes each due again after `againMs`. Skips credentials that are being
 * renewed.
 */
export function dispatchRenewals(
  tx: Transaction<Tables>,
  work: Work,
  options: { limit: number; againMs: number },
): Promise<{ project_id: string; connection_id: string }[]> {
  return work.dispatch(tx, renewals, { columns: ['project_id', 'connection_id'], ...options })
}

/**
 * Locks a connection's credential for a renewal; false if it does not exist. Nothing references this row, so only
 * writers of the credential wait. Read the row afterwards: the transaction before may have changed it.
 */
export async function lockCredential(tx: ProjectDb, connectionId: string): Promise<boolean> {
  if (!isId(connectionId)) return false
  const { rows } = await sql`
    select from connection_credentials
    where project_id = ${tx.projectId} and connection_id = ${connectionId} for no key update`.execute(tx.sql)
  return rows.length > 0
}

/** Stores renewed tokens, as the next generation of a locked credential. */
export async function storeRenewed(
  tx: ProjectDb,
  connectionId: string,
  renewed: { encrypted: string; expireTime: Date | undefined; renewTime: Date; renewAt: Date | undefined },
): Promise<void> {
  await sql`
    update connection_credentials set encrypted = ${renewed.encrypted}, expire_time = ${renewed.expireTime ?? null},
      generation = generation + 1, update_time = now(), renew_time = ${renewed.renewTime}, renew_at = ${renewed.renewAt ?? null},
      retry_at = null, renewal_failures = 0, refused = null
    where project_id = ${tx.projectId} and connection_id = ${connectionId}`.execute(tx.sql)
}

/**
 * Stores the failed renewal of a locked credential, so that the next caller does not call the provider again before
 * `retryAt`.
 */
export async function storeFailure(
  tx: ProjectDb,
  connectionId: string,
  failure: { refused: string | null; retryAt: Date | undefined },
): Promise<void> {
  await sql`
    update connection_credentials set refused = ${failure.refused}, retry_at = ${failure.retryAt ?? null},
      renewal_failures = renewal_failures + 1,
      renew_at = case when renew_at is not null then ${failure.retryAt ?? null}::timestamptz end
    where project_id = ${tx.projectId} and connection_id = ${connectionId}`.execute(tx.sql)
}

/** Schedules the next background renewal of a credential, undefined for none, unless it was replaced meanwhile. */
export async function planRenewal(
  db: ProjectDb,
  { connectionId, generation }: { connectionId: string; generation: number },
  renewAt: Date | undefined,
): Promise<void> {
  await sql`
    update connection_credentials set renew_at = ${renewAt ?? null}
    where project_id = ${db.projectId} and connection_id = ${connectionId}
      and generation = ${generation}`.execute(db.sql)
}
