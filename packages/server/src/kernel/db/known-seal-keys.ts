import { sql } from 'kysely'
import type { Database } from './connection.ts'

/** The database holds secrets under a root key that this process was not given. */
export class MissingSealKey extends Error {
  override name = 'MissingSealKey'
}

/** Ids of the root keys that secrets in this database are sealed under; empty in a database that holds none yet. */
export async function sealKeysInUse(database: Database): Promise<string[]> {
  const rows = await database.system.selectFrom('seal_keys').select('key_id').orderBy('create_time').execute()
  return rows.map((row) => row.key_id)
}

/** Refuses to go on when a key is missing, and notes the active one as in use. */
export async function checkSealKeys(
  database: Database,
  keys: { activeId: string; ids: readonly string[] },
): Promise<void> {
  const missing = (await sealKeysInUse(database)).filter((id) => !keys.ids.includes(id))
  if (missing.length > 0) {
    throw new MissingSealKey(
      `The database holds secrets sealed under the key ${missing.join(', ')}, and the key given is ${keys.activeId}. ` +
        'Start with the key that the database was made with (MORTISE_SEAL_KEY or MORTISE_SEAL_KEY_FILE); without it the stored credentials are lost.',
    )
  }
  await sql`insert into seal_keys (key_id) values (${keys.activeId}) on conflict do nothing`.execute(database.system)
}
