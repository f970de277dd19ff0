import type pg from 'pg'
import type { EncryptionKeyState } from '../kernel/db/index.ts'
import { countQuery, encryptedColumns } from './encrypted-columns.ts'

/** A node without a heartbeat for this long has ended. */
export const nodeLifeSeconds = 30

export interface StoredKey {
  id: string
  state: EncryptionKeyState
}

export interface RunningNode {
  node: string
  /** Ids of the keys that the node has. */
  keyIds: string[]
  activeId: string
}

export async function listKeys(client: pg.Client): Promise<StoredKey[]> {
  const { rows } = await client.query<StoredKey>(
    'select key_id as id, state from encryption_keys order by create_time, key_id',
  )
  return rows
}

export async function listNodes(client: pg.Client): Promise<RunningNode[]> {
  const { rows } = await client.query<RunningNode>(
    `select node, key_ids as "keyIds", active_id as "activeId" from encryption_key_nodes
      where seen_time > now() - make_interval(secs => $1) order by node`,
    [nodeLifeSeconds],
  )
  return rows
}

/** Counts the encrypted values of each key, in all tables. */
export async function countValues(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ id: string; values: number }>(
    `select key_id as id, sum(values)::int8 as values from (${encryptedColumns.map(countQuery).join(' union all ')}) as counts group by 1`,
  )
  return new Map(rows.map(({ id, values }) => [id, values]))
}

/** Makes a key the active one. The previous key may still have values, but encrypts no new ones. */
export async function promoteKey(client: pg.Client, id: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`update encryption_keys set state = 'previous' where state = 'active'`)
    await client.query(`insert into encryption_keys (key_id) values ($1)`, [id])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

export async function moveKeys(client: pg.Client, from: EncryptionKeyState, to: EncryptionKeyState): Promise<void> {
  await client.query('update encryption_keys set state = $2 where state = $1', [from, to])
}

/** Returns the current transactions that write to a table with encrypted columns. */
export async function listWriters(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ writer: string }>(
    `select distinct virtualtransaction as writer from pg_locks
      where locktype = 'relation' and mode = 'RowExclusiveLock' and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())
        and relation = any($1::text[]::regclass[])`,
    [[...new Set(encryptedColumns.map(({ table }) => table))]],
  )
  return rows.map(({ writer }) => writer)
}
