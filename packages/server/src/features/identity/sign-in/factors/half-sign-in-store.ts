import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../../kernel/db/index.ts'

export type HalfSignInRow = Selectable<Tables['half_sign_ins']>

export async function insertHalfSignIn(
  system: Kysely<Tables>,
  half: { tokenHash: Buffer; browserHash: Buffer; builderId: string; challenge: string; expireTime: Date },
): Promise<void> {
  await system
    .insertInto('half_sign_ins')
    .values({
      token_hash: half.tokenHash,
      browser_hash: half.browserHash,
      builder_id: half.builderId,
      challenge: half.challenge,
      expire_time: half.expireTime,
    })
    .execute()
}

interface Wanted {
  tokenHash: Buffer
  browserHash: Buffer
  now: Date
}

/** Finds a sign-in that waits for the second factor, for the browser that began it alone. */
export async function findHalfSignIn(
  system: Kysely<Tables>,
  { tokenHash, browserHash, now }: Wanted,
): Promise<HalfSignInRow | undefined> {
  return await system
    .selectFrom('half_sign_ins')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('browser_hash', '=', browserHash)
    .where('expire_time', '>', now)
    .executeTakeFirst()
}

/** Uses it up: of two requests with the same one the second finds none. */
export async function claimHalfSignIn(tx: Kysely<Tables>, tokenHash: Buffer): Promise<boolean> {
  const row = await tx
    .deleteFrom('half_sign_ins')
    .where('token_hash', '=', tokenHash)
    .returning('builder_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteHalfSignIns(tx: Kysely<Tables>, builderId: string): Promise<void> {
  await tx.deleteFrom('half_sign_ins').where('builder_id', '=', builderId).execute()
}
