import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'

export type ResetRow = Selectable<Tables['password_resets']>

/** Stores a link for a person. An earlier one stops working. */
export async function replaceReset(
  tx: Kysely<Tables>,
  reset: {
    builderId: string
    tokenHash: Buffer
    expireTime: Date
    madeBy?: { orgId: string; builderId: string }
    removeFactors: boolean
  },
): Promise<void> {
  const values = {
    token_hash: reset.tokenHash,
    org_id: reset.madeBy?.orgId ?? null,
    created_by: reset.madeBy?.builderId ?? null,
    remove_factors: reset.removeFactors,
    expire_time: reset.expireTime,
  }
  await tx
    .insertInto('password_resets')
    .values({ builder_id: reset.builderId, ...values })
    .onConflict((conflict) =>
      conflict.column('builder_id').doUpdateSet((eb) => ({ ...values, create_time: eb.fn('now', []) })),
    )
    .execute()
}

/** The link with this token, while it has not expired. */
export async function findReset(system: Kysely<Tables>, tokenHash: Buffer, now: Date): Promise<ResetRow | undefined> {
  return await system
    .selectFrom('password_resets')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expire_time', '>', now)
    .executeTakeFirst()
}

export async function deleteReset(tx: Kysely<Tables>, builderId: string): Promise<void> {
  await tx.deleteFrom('password_resets').where('builder_id', '=', builderId).execute()
}
