import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'

/** What is used once: codes that a browser carries to a command line, and single sign-ons under way. */

export async function insertCode(
  tx: Kysely<Tables>,
  code: {
    codeHash: Buffer
    builderId: string
    challenge: string
    method: Selectable<Tables['sign_in_codes']>['method']
    expireTime: Date
  },
): Promise<void> {
  await tx
    .insertInto('sign_in_codes')
    .values({
      code_hash: code.codeHash,
      builder_id: code.builderId,
      challenge: code.challenge,
      method: code.method,
      expire_time: code.expireTime,
    })
    .execute()
}

/** Takes a code away: of two that bring it one finds it. */
export async function claimCode(
  tx: Kysely<Tables>,
  codeHash: Buffer,
): Promise<Selectable<Tables['sign_in_codes']> | undefined> {
  return await tx.deleteFrom('sign_in_codes').where('code_hash', '=', codeHash).returningAll().executeTakeFirst()
}

export async function deleteCodes(tx: Kysely<Tables>, builderId: string): Promise<void> {
  await tx.deleteFrom('sign_in_codes').where('builder_id', '=', builderId).execute()
}

export async function insertFlow(
  system: Kysely<Tables>,
  flow: { stateHash: Buffer; browserHash: Buffer; encrypted: string; expireTime: Date },
): Promise<void> {
  await system
    .insertInto('sign_in_flows')
    .values({
      state_hash: flow.stateHash,
      browser_hash: flow.browserHash,
      encrypted: flow.encrypted,
      expire_time: flow.expireTime,
    })
    .execute()
}

/** Takes a flow away, for the browser that began it alone. */
export async function claimFlow(
  system: Kysely<Tables>,
  { stateHash, browserHash, now }: { stateHash: Buffer; browserHash: Buffer; now: Date },
): Promise<{ encrypted: string } | undefined> {
  return await system
    .deleteFrom('sign_in_flows')
    .where('state_hash', '=', stateHash)
    .where('browser_hash', '=', browserHash)
    .where('expire_time', '>', now)
    .returning('encrypted')
    .executeTakeFirst()
}

/** Removes what has expired. */
export async function deleteExpired(system: Kysely<Tables>, now: Date): Promise<void> {
  await system.deleteFrom('sign_in_codes').where('expire_time', '<=', now).execute()
  await system.deleteFrom('sign_in_flows').where('expire_time', '<=', now).execute()
  await system.deleteFrom('sign_in_attempts').where('until', '<=', now).execute()
  await system.deleteFrom('sign_in_addresses').where('until', '<=', now).execute()
  await system.deleteFrom('factor_setups').where('expire_time', '<=', now).execute()
  await system.deleteFrom('half_sign_ins').where('expire_time', '<=', now).execute()
  await system.deleteFrom('password_resets').where('expire_time', '<=', now).execute()
  await system.deleteFrom('sessions').where('expire_time', '<=', now).execute()
}
