import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'

export interface SigningKeyRow {
  id: string
  public_jwk: unknown
  encrypted_private_jwk: string
  active: boolean
  create_time: Date
}

/** Lists every key that may have signed a token that is still valid, the active one first. */
export async function listSigningKeys(system: Kysely<Tables>): Promise<SigningKeyRow[]> {
  return await system
    .selectFrom('signing_keys')
    .select(['id', 'public_jwk', 'encrypted_private_jwk', 'active', 'create_time'])
    .orderBy('active', 'desc')
    .orderBy('create_time', 'desc')
    .orderBy('id')
    .execute()
}

export async function insertSigningKey(
  tx: Kysely<Tables>,
  key: { id: string; publicJwk: object; encryptedPrivateJwk: string },
): Promise<void> {
  await tx
    .insertInto('signing_keys')
    .values({ id: key.id, public_jwk: JSON.stringify(key.publicJwk), encrypted_private_jwk: key.encryptedPrivateJwk })
    .execute()
}

/** Retires the active key: it signs no more tokens, but its tokens stay valid. */
export async function retireSigningKey(tx: Kysely<Tables>): Promise<void> {
  await sql`update signing_keys set active = false, retire_time = now() where active`.execute(tx)
}

/** Deletes retired keys after every token that they signed has expired. */
export async function deleteRetiredSigningKeys(tx: Kysely<Tables>): Promise<void> {
  await sql`delete from signing_keys where not active and retire_time < now() - interval '1 day'`.execute(tx)
}

/** Locks key creation: one node creates the key, and the others wait for it. */
export async function lockSigningKeys(tx: Kysely<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('mortise.signing-keys'))`.execute(tx)
}
