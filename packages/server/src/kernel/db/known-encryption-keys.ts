import { sql } from 'kysely'
import type { Database } from './connection.ts'
import type { Tables } from './tables.ts'

/** The database uses an encryption key that this process does not have. */
export class MissingEncryptionKey extends Error {
  override name = 'MissingEncryptionKey'
}

/** The encryption keys of a process, and which of them encrypts. */
export interface ProcessKeys {
  activeId: string
  ids: readonly string[]
  /** Encrypts under another of its keys from now on. */
  activate(id: string): void
}

export type EncryptionKeyState = Tables['encryption_keys']['state']['__select__']

/** Returns the ids of the keys that secrets in this database are encrypted under; empty when it holds no secrets. */
export async function encryptionKeysInUse(database: Database): Promise<string[]> {
  const rows = await database.system
    .selectFrom('encryption_keys')
    .select('key_id')
    .where('state', '<>', 'retired')
    .orderBy('create_time')
    .execute()
  return rows.map((row) => row.key_id)
}

/**
 * Throws when a key is missing. The database decides which key encrypts, whatever the order of the settings, so all
 * nodes agree.
 *
 * @throws MissingEncryptionKey
 */
export async function checkEncryptionKeys(database: Database, keys: ProcessKeys): Promise<void> {
  await sql`insert into encryption_keys (key_id) select ${keys.activeId} where not exists (select from encryption_keys)
    on conflict do nothing`.execute(database.system)
  followEncryptionKeys(keys, await database.system.selectFrom('encryption_keys').select(['key_id', 'state']).execute())
}

/** Activates the key that the database names. @throws MissingEncryptionKey */
export function followEncryptionKeys(keys: ProcessKeys, rows: { key_id: string; state: EncryptionKeyState }[]): void {
  const missing = rows.filter(({ key_id, state }) => state !== 'retired' && !keys.ids.includes(key_id))
  if (missing.length > 0) {
    const retired = rows.some(({ key_id, state }) => key_id === keys.activeId && state === 'retired')
    throw new MissingEncryptionKey(
      `The database holds secrets encrypted under the key ${missing.map(({ key_id }) => key_id).join(', ')}, and this process has ${keys.ids.join(', ')}. ` +
        (retired
          ? 'Its key was retired by a rotation: set MORTISE_ENCRYPTION_KEY to the present key.'
          : 'Start with the key that the database was made with (MORTISE_ENCRYPTION_KEY or MORTISE_ENCRYPTION_KEY_FILE), and with the new one of a rotation (MORTISE_ENCRYPTION_KEY_NEXT). Without them the stored credentials are lost.'),
    )
  }
  const active = rows.find(({ state }) => state === 'active')
  if (active && active.key_id !== keys.activeId) keys.activate(active.key_id)
}
