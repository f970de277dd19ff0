import type { Kysely } from 'kysely'
import type { Config } from '../../../../config.ts'
import type { Database, Tables } from '../../../../kernel/db/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { lockBuilder } from '../../orgs/index.ts'
import { confirmFactorChange, type FactorChange } from '../job-references.ts'
import { deleteCodes } from '../once-store.ts'
import { FactorNotFound, NoFactors } from '../problems.ts'
import {
  deleteFactor,
  deleteFactors,
  deleteRecoveryCodes,
  deleteSetups,
  type FactorRow,
  listFactors,
  replaceRecoveryCodes,
} from './factor-store.ts'
import { deleteHalfSignIns } from './half-sign-in-store.ts'
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'

type Needed = { config: Config; now: () => Date; queue: JobQueue }

/**
 * Ends what has begun under the previous factors, in every session: factors that are being set up, sign-ins that wait
 * for the second step, and codes on their way to a command line. Mails the person if mail is configured.
 */
export async function factorsChanged(
  tx: Kysely<Tables>,
  { config, now, queue }: Needed,
  change: Omit<FactorChange, 'time'>,
): Promise<void> {
  const { builderId } = change
  await deleteSetups(tx, builderId)
  await deleteHalfSignIns(tx, builderId)
  await deleteCodes(tx, builderId)
  if (config.smtpUrl === undefined) return
  const time = now().toISOString()
  await queue.enqueue({ sql: tx }, confirmFactorChange, { ...change, time }, `${builderId} ${change.change} ${time}`)
}

/** Removes one factor of a person. Recovery codes go with the last one. @throws FactorNotFound */
export async function removeFactor(
  services: Needed & { database: Database },
  { builderId, factorId }: { builderId: string; factorId: string },
): Promise<FactorRow> {
  return await services.database.system.transaction().execute(async (tx) => {
    await lockBuilder(tx, builderId)
    const removed = await deleteFactor(tx, builderId, factorId)
    if (!removed) throw new FactorNotFound()
    if ((await listFactors(tx, builderId)).length === 0) await deleteRecoveryCodes(tx, builderId)
    await factorsChanged(tx, services, { builderId, change: 'removed', name: removed.name })
    return removed
  })
}

/** Removes all factors and recovery codes of a person whom the caller has locked. Returns how many factors. */
export async function removeAllFactors(tx: Kysely<Tables>, services: Needed, builderId: string): Promise<number> {
  const removed = await deleteFactors(tx, builderId)
  await deleteRecoveryCodes(tx, builderId)
  if (removed > 0) await factorsChanged(tx, services, { builderId, change: 'all-removed' })
  return removed
}

/** Replaces the recovery codes of a person. Only the return value contains them. @throws NoFactors */
export async function renewRecoveryCodes(
  services: Needed & { database: Database },
  builderId: string,
): Promise<string[]> {
  const codes = newRecoveryCodes()
  await services.database.system.transaction().execute(async (tx) => {
    await lockBuilder(tx, builderId)
    if ((await listFactors(tx, builderId)).length === 0) throw new NoFactors()
    await replaceRecoveryCodes(tx, builderId, codes.map(hashRecoveryCode))
    await factorsChanged(tx, services, { builderId, change: 'recovery-codes' })
  })
  return codes
}
