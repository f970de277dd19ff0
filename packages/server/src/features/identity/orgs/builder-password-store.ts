import type { Kysely } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'
import type { BuilderRow } from './model.ts'

/** Keeps other changes of the account's password and links waiting until the transaction ends. */
export async function lockBuilder(tx: Kysely<Tables>, builderId: string): Promise<BuilderRow | undefined> {
  return await tx.selectFrom('builders').selectAll().where('id', '=', builderId).forUpdate().executeTakeFirst()
}

/** @param change.password the hash */
export async function updatePassword(
  tx: Kysely<Tables>,
  builderId: string,
  change: { password: string; emailVerified?: boolean },
): Promise<void> {
  await tx
    .updateTable('builders')
    .set((eb) => ({
      password: change.password,
      ...(change.emailVerified !== undefined && { email_verified: change.emailVerified }),
      update_time: eb.fn('now', []),
    }))
    .where('id', '=', builderId)
    .execute()
}

/** Who vouches for the builder from now on. */
export async function updateIdentity(
  tx: Kysely<Tables>,
  builderId: string,
  identity: { idpProvider: string; idpRef: string },
): Promise<void> {
  await tx
    .updateTable('builders')
    .set((eb) => ({
      idp_provider: identity.idpProvider,
      idp_ref: identity.idpRef,
      email_verified: true,
      update_time: eb.fn('now', []),
    }))
    .where('id', '=', builderId)
    .execute()
}

/** Whether anybody can sign in at all. */
export async function hasBuilder(system: Kysely<Tables>): Promise<boolean> {
  return (await system.selectFrom('builders').select('id').limit(1).executeTakeFirst()) !== undefined
}
