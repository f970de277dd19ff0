import { isDeepStrictEqual } from 'node:util'
import { type ConnectionValues, fetchPostAuthentication, type ProviderValues } from '@mortise/providers'
import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { ProviderAccess } from '../../provider-calls/calls/index.ts'
import { metadataValues } from '../connection-inputs/index.ts'
import { credentialGeneration } from '../credentials/index.ts'
import type { ConnectionRow } from './resource.ts'
import { findConnection, lockConnection } from './store.ts'

/**
 * Requests the values that the provider makes available after authentication (contract 7.4, step 6), and stores them in
 * the connection's metadata. A value that did not come from the provider is kept, and not requested.
 *
 * @returns whether the connection was changed; if so, open it again
 * @throws ProviderError if a later request may return more
 */
export async function learnProviderValues(
  db: ProjectDb,
  { now }: { now: () => Date },
  { entry, context, http, connection }: ProviderAccess,
  signal: AbortSignal,
): Promise<boolean> {
  if (!entry.postAuthentication?.some(({ request }) => request !== undefined)) return false
  const row = await findConnection(db, connection.id)
  const skip = new Set(
    Object.entries(row?.provider_metadata ?? {}).flatMap(([name, item]) => (isAuthoritative(item) ? name : [])),
  )
  const values = await fetchPostAuthentication(entry, context, http, {
    skip,
    signal,
    now: () => now().getTime(),
  })
  return db.transaction((tx) => keepProviderValues(tx, connection, values, context))
}

async function keepProviderValues(
  tx: ProjectDb,
  { id, generation }: ProviderAccess['connection'],
  values: ProviderValues,
  asked: ConnectionValues,
): Promise<boolean> {
  await lockConnection(tx, id)
  // The account of a former credential must not become part of the address of the next one.
  if ((await credentialGeneration(tx, id)) !== generation) return false
  const row = await findConnection(tx, id)
  // A value from another host must not become part of this address.
  if (!row || !isSameAccount(row, asked)) return false
  const known = row.provider_metadata ?? {}
  const fresh = Object.entries(values).filter(([name, { value }]) => {
    const there = Object.hasOwn(known, name) ? known[name] : undefined
    return !isAuthoritative(there) && (there as { value?: unknown } | undefined)?.value !== value
  })
  if (fresh.length === 0) return false
  const merged = JSON.stringify({ ...known, ...Object.fromEntries(fresh) })
  await sql`
    update connections set update_time = now(), provider_metadata = ${merged}::jsonb
    where project_id = ${tx.projectId} and id = ${id}`.execute(tx.sql)
  return true
}

function isSameAccount(row: ConnectionRow, { metadata, workspaceRef }: ConnectionValues): boolean {
  const isSameWorkspace = (row.provider_workspace_ref ?? undefined) === workspaceRef
  return isSameWorkspace && isDeepStrictEqual(metadataValues(row.provider_metadata), metadata)
}

/** Returns whether the value came from a caller or a token endpoint, not from such a request. */
function isAuthoritative(item: unknown): boolean {
  if (item === undefined || item === null) return false
  return (item as { source?: unknown }).source !== 'provider'
}
