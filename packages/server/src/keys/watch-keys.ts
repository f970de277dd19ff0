import { sql } from 'kysely'
import { type Database, type EncryptionKeyState, followEncryptionKeys, type ProcessKeys } from '../kernel/db/index.ts'
import type { Logger } from '../kernel/telemetry/index.ts'

/** How often a node looks: after a promotion it encrypts under the old key for at most this long. */
const lookMs = 5_000

export interface KeyWatch {
  /** Reports the keys of this node and follows what the database says of them. @throws MissingEncryptionKey */
  look(): Promise<void>
  stop(): Promise<void>
}

/**
 * Keeps a node on the key that the database names, and lets a rotation know which keys the node holds. A node that
 * turns out to miss a key cannot read what others write: `missing` ends it.
 */
export function watchKeys(options: {
  database: Database
  keyring: ProcessKeys
  node: string
  log: Logger
  missing: (error: Error) => void
}): KeyWatch {
  const { database, keyring, node, log, missing } = options
  const report = () =>
    sql`insert into encryption_key_nodes (node, key_ids, active_id) values (${node}, ${[...keyring.ids]}, ${keyring.activeId})
      on conflict (node) do update set active_id = excluded.active_id, seen_time = now()`.execute(database.system)
  let looking = Promise.resolve()
  const look = async () => {
    await report()
    const { rows } = await sql<{ key_id: string; state: EncryptionKeyState }>`
      select key_id, state from encryption_keys`.execute(database.system)
    const before = keyring.activeId
    followEncryptionKeys(keyring, rows)
    if (keyring.activeId === before) return
    log.info({ from: before, to: keyring.activeId }, 'changed the active encryption key')
    await report()
  }
  const timer = setInterval(() => {
    looking = look().catch((error: Error) => {
      if (error.name === 'MissingEncryptionKey') missing(error)
      else log.warn({ err: error }, 'failed to look up the active encryption key')
    })
  }, lookMs)
  timer.unref()
  return {
    look,
    async stop() {
      clearInterval(timer)
      await looking
      await sql`delete from encryption_key_nodes where node = ${node} or seen_time < now() - interval '1 day'`
        .execute(database.system)
        .catch(() => undefined)
    },
  }
}
