import type { Catalogue } from '@mortise/providers'
import { Type } from 'typebox'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import { classifyFailure } from '../../provider-calls/calls/index.ts'
import { verifyConnectionJob } from './job-references.ts'
import { type VerifyServices, verifyConnection } from './verify-connection.ts'

/** How long `?verify=true` waits for the provider. */
const verifyMostMs = 15_000

export const VerifyQuery = Type.Object({
  verify: Type.Optional(
    Type.Boolean({ default: false, description: 'Extension: wait for the check of the credential.' }),
  ),
})

export type CheckedAfterwardsServices = VerifyServices & { queue: JobQueue; keyring: Keyring; catalogue: Catalogue }

/**
 * Makes a change of a connection, then has its credential checked: by a job that commits with the change, or before
 * this returns.
 */
export async function checkedAfterwards(
  db: ProjectDb,
  services: CheckedAfterwardsServices,
  { wait, signal }: { wait: boolean; signal: AbortSignal },
  change: (tx: ProjectDb) => Promise<string>,
): Promise<string> {
  const enqueue = (tx: ProjectDb, connectionId: string) =>
    services.queue.enqueue(tx, verifyConnectionJob, { projectId: tx.projectId, connectionId }, connectionId)
  const id = await db.transaction(async (tx) => {
    const connectionId = await change(tx)
    if (!wait) await enqueue(tx, connectionId)
    return connectionId
  })
  services.connectionHandles.forget(db.projectId, id)
  if (wait && !(await verifyWithin(db, services, id, signal).catch(nothingToCheck))) await enqueue(db, id)
  return id
}

/** Without the provider's file, nothing can be checked, and the change stands. Returns that no later check is due. */
function nothingToCheck(error: unknown): true {
  if (classifyFailure(error).kind === 'no_connector') return true
  throw error
}

/** Checks a connection while a request waits for the result. Returns what `verifyConnection` returns. */
export function verifyWithin(
  db: ProjectDb,
  services: VerifyServices,
  connectionId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(verifyMostMs)])
  return verifyConnection(db, services, connectionId, limit)
}
