import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Refusal, ReportedConnection } from '../../provider-calls/calls/index.ts'
import { credentialGeneration, hasNeededScopes, needScopes } from '../credentials/index.ts'
import type { ConnectionHooks } from './hooks.ts'
import { nextStatus } from './model.ts'
import { lockConnection, setStatus, statusOf } from './store.ts'

/**
 * Reports how the use of a connection went. Its status follows (`nextStatus`), and the hook `connectionStatusChanged`
 * runs in the same transaction. Runs no statement if the opened connection is known to have that status already, and
 * one if only its id is given. Ignores a report about a credential that was replaced meanwhile.
 *
 * @param connection the opened connection, or its id
 * @param outcome `succeeded`: the provider accepted a request; `credentials`: it refused the credential
 * @param refusal what the provider said when it refused it. An account that must grant more scopes stays
 *   `bad_credentials` until it is authorized again, although other requests succeed
 */
export async function reportUse(
  db: ProjectDb,
  { hooks }: { hooks: ConnectionHooks },
  connection: ReportedConnection | string,
  outcome: 'succeeded' | 'credentials',
  { reason, missingScopes }: Refusal = {},
): Promise<void> {
  const opened = typeof connection === 'string' ? undefined : connection
  const id = typeof connection === 'string' ? connection : connection.id
  const known = opened?.status ?? (await statusOf(db, id))
  if (known === undefined || (!missingScopes && nextStatus(known, outcome) === known)) return
  const reached = await db.transaction(async (tx) => {
    const from = await lockConnection(tx, id)
    if (from === undefined) return undefined
    const to = nextStatus(from, outcome)
    if (to === from && !missingScopes) return to
    // Read under the lock, because new credentials are written under it.
    if (opened !== undefined && (await credentialGeneration(tx, id)) !== opened.generation) return from
    if (missingScopes) await needScopes(tx, id, missingScopes)
    if (outcome === 'succeeded' && (await hasNeededScopes(tx, id))) return from
    await setStatus(tx, id, to, reason)
    if (to === from) return to
    await hooks.connectionStatusChanged(tx, { connectionId: id, from, to })
    return to
  })
  if (opened !== undefined && reached !== undefined) opened.status = reached
}
