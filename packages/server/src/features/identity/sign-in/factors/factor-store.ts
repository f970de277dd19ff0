import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../../../../kernel/db/index.ts'

export type FactorRow = Selectable<Tables['factors']>
export type FactorKind = FactorRow['kind']

export async function insertFactor(
  tx: Kysely<Tables>,
  factor: { id: string; builderId: string; kind: FactorKind; name: string } & Partial<
    Pick<FactorRow, 'encrypted_secret' | 'last_step' | 'credential_id' | 'public_key' | 'counter' | 'transports'>
  >,
): Promise<FactorRow | undefined> {
  const { builderId, ...values } = factor
  return await tx
    .insertInto('factors')
    .values({ ...values, builder_id: builderId })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Lists the factors of a person, in the order of their creation. */
export async function listFactors(system: Kysely<Tables>, builderId: string): Promise<FactorRow[]> {
  return await system
    .selectFrom('factors')
    .selectAll()
    .where('builder_id', '=', builderId)
    .orderBy('create_time')
    .orderBy('id')
    .execute()
}

/** Uses up a step of an app. Of two requests with the same code the second finds it used (RFC 6238, 5.2). */
export async function claimStep(
  tx: Kysely<Tables>,
  id: string,
  { step, now }: { step: number; now: Date },
): Promise<boolean> {
  const row = await tx
    .updateTable('factors')
    .set({ last_step: step, use_time: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_step', 'is', null), eb('last_step', '<', step)]))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Stores the signature counter of a passkey. False if another request was faster, so that it is no longer the next. */
export async function claimCounter(
  tx: Kysely<Tables>,
  id: string,
  { counter, now }: { counter: number; now: Date },
): Promise<boolean> {
  const row = await tx
    .updateTable('factors')
    .set({ counter, use_time: now })
    .where('id', '=', id)
    // Authenticators that count nothing always send 0.
    .where((eb) => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteFactor(tx: Kysely<Tables>, builderId: string, id: string): Promise<FactorRow | undefined> {
  return await tx
    .deleteFrom('factors')
    .where('id', '=', id)
    .where('builder_id', '=', builderId)
    .returningAll()
    .executeTakeFirst()
}

/** Deletes every factor of a person. Returns how many there were. */
export async function deleteFactors(tx: Kysely<Tables>, builderId: string): Promise<number> {
  return (await tx.deleteFrom('factors').where('builder_id', '=', builderId).returning('id').execute()).length
}

export async function replaceRecoveryCodes(tx: Kysely<Tables>, builderId: string, hashes: Buffer[]): Promise<void> {
  await deleteRecoveryCodes(tx, builderId)
  await sql`insert into recovery_codes (builder_id, code_hash) select ${builderId}, unnest(${hashes}::bytea[])`.execute(
    tx,
  )
}

/** Uses up a recovery code: of two requests with the same one the second finds none. */
export async function claimRecoveryCode(tx: Kysely<Tables>, builderId: string, hash: Buffer): Promise<boolean> {
  const row = await tx
    .deleteFrom('recovery_codes')
    .where('builder_id', '=', builderId)
    .where('code_hash', '=', hash)
    .returning('builder_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function countRecoveryCodes(system: Kysely<Tables>, builderId: string): Promise<number> {
  const row = await system
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('builder_id', '=', builderId)
    .executeTakeFirst()
  return row?.count ?? 0
}

export async function deleteRecoveryCodes(tx: Kysely<Tables>, builderId: string): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('builder_id', '=', builderId).execute()
}

interface Setup {
  builderId: string
  kind: FactorKind
  sessionId: string
}

/** Stores a factor that is being set up. One of the same kind that was not confirmed stops working. */
export async function replaceSetup(
  system: Kysely<Tables>,
  { builderId, kind, sessionId, encrypted, expireTime }: Setup & { encrypted: string; expireTime: Date },
): Promise<void> {
  const values = { session_id: sessionId, encrypted, expire_time: expireTime }
  await system
    .insertInto('factor_setups')
    .values({ builder_id: builderId, kind, ...values })
    .onConflict((conflict) => conflict.columns(['builder_id', 'kind']).doUpdateSet(values))
    .execute()
}

export async function findSetup(
  system: Kysely<Tables>,
  { builderId, kind, sessionId }: Setup,
  now: Date,
): Promise<{ encrypted: string } | undefined> {
  return await system
    .selectFrom('factor_setups')
    .select('encrypted')
    .where('builder_id', '=', builderId)
    .where('kind', '=', kind)
    .where('session_id', '=', sessionId)
    .where('expire_time', '>', now)
    .executeTakeFirst()
}

export async function deleteSetups(tx: Kysely<Tables>, builderId: string): Promise<void> {
  await tx.deleteFrom('factor_setups').where('builder_id', '=', builderId).execute()
}
