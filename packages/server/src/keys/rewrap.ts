import type pg from 'pg'
import {
  createEnvelope,
  type EncryptedAt,
  type Envelope,
  hashApiKey,
  type Keyring,
} from '../kernel/encryption/index.ts'
import { type EncryptedColumn, encryptedColumns, underAnotherKey } from './encrypted-columns.ts'

/** A value in the database cannot be rewrapped. */
export class UnusableValue extends Error {
  override name = 'UnusableValue'
}

/** Pages of a table that one transaction looks through: a few hundred rows, locked for some milliseconds. */
const blocksAtOnce = 8

export interface RewrapOptions {
  client: pg.Client
  keyring: Keyring
  signal: AbortSignal
  /** Called with the number of values after each transaction. */
  rewrapped: (values: number) => void
}

/**
 * Looks once through every encrypted column and puts what is under another key under the active one. Rows that somebody
 * has locked are left for the next pass; readers wait for nothing. Killed at any moment, it has changed whole values or
 * none, and the next pass continues.
 *
 * @throws UnusableValue
 */
export async function rewrapOnce(options: RewrapOptions): Promise<void> {
  for (const encrypted of encryptedColumns) {
    for (let block = 0; block < (await blocksOf(options.client, encrypted.table)); block += blocksAtOnce) {
      options.signal.throwIfAborted()
      options.rewrapped(await rewrapBlocks(options, encrypted, block))
    }
  }
}

interface Row {
  at: string
  project: string
  row: string
  value: string
}

async function rewrapBlocks(options: RewrapOptions, encrypted: EncryptedColumn, block: number): Promise<number> {
  const { client, keyring } = options
  const { table, column, row, project = 'project_id' } = encrypted
  await client.query('begin')
  try {
    const { rows } = await client.query<Row>(
      `select ctid::text as at, (${project})::text as project, (${row})::text as row, ${column}::text as value from ${table}
        where ctid >= $2::tid and ctid < $3::tid and ${underAnotherKey(encrypted)} for update skip locked`,
      [keyring.activeId, `(${block},0)`, `(${block + blocksAtOnce},0)`],
    )
    if (rows.length > 0) {
      const changed = JSON.stringify(rows.map((one) => ({ at: one.at, ...rewrapped(keyring, encrypted, one) })))
      const alongside = table === 'api_keys' ? `, hash = decode(s.hash, 'hex')` : ''
      await client.query(
        `update ${table} t set ${column} = s.value${encrypted.shape === 'list' ? '::jsonb' : ''}${alongside}
           from json_to_recordset($1::json) as s (at tid, value text, hash text) where t.ctid = s.at`,
        [changed],
      )
    }
    await client.query('commit')
    return rows.length
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

function rewrapped(keyring: Keyring, encrypted: EncryptedColumn, { project, row, value }: Row) {
  const envelope = namingRow(createEnvelope(keyring))
  const { table, column, boundTo = column, boundToTable = table, shape } = encrypted
  const at: EncryptedAt = { table: boundToTable, project, row, column: boundTo }
  if (shape === 'list') {
    const items = JSON.parse(value) as { encrypted: string }[]
    return { value: JSON.stringify(items.map((item) => ({ ...item, encrypted: envelope.rewrap(item.encrypted, at) }))) }
  }
  const fresh = envelope.rewrap(value, at)
  if (table !== 'api_keys') return { value: fresh }
  // API keys are found by an HMAC under a key that comes from the encryption key: it changes together with the
  // envelope.
  const hash = hashApiKey(keyring.derive('api-key-pepper'), envelope.open(value, at).toString())
  return { value: fresh, hash: hash.toString('hex') }
}

/** A value that cannot be opened stops the rotation, which changes nothing of it: say which one it is. */
function namingRow({ open, rewrap }: Envelope): Pick<Envelope, 'open' | 'rewrap'> {
  const named =
    <T>(work: (encrypted: string, at: EncryptedAt) => T) =>
    (encrypted: string, at: EncryptedAt) => {
      try {
        return work(encrypted, at)
      } catch (cause) {
        const { message } = cause as Error
        throw new UnusableValue(`${at.table}.${at.column}, row ${at.row}, project ${at.project || '-'}: ${message}`, {
          cause,
        })
      }
    }
  return { open: named(open), rewrap: named(rewrap) }
}

async function blocksOf(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ blocks: number }>(
    `select ceil(pg_relation_size($1::regclass) / current_setting('block_size')::numeric)::int as blocks`,
    [table],
  )
  return rows[0]?.blocks ?? 0
}
