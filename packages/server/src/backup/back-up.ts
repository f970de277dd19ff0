import { Readable, type Writable } from 'node:stream'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { readConfig } from '../config.ts'
import { createKeyring } from '../kernel/encryption/index.ts'
import { pendingJobsQuery } from '../kernel/jobs/index.ts'
import { configuredKeys } from '../storage.ts'
import { type ArchiveWriter, writeArchive } from './archive-writer.ts'
import {
  type BackupManifest,
  type BackupPart,
  encryptionKeyName,
  fileOfTable,
  formatVersion,
  jobsName,
  mortiseVersion,
} from './manifest.ts'
import { type Reached, reachExisting } from './place.ts'
import { BackupRefused } from './problems.ts'
import { sessionSettings } from './session-settings.ts'
import { daysWithPartitions, monthsWithPartitions, storedTables } from './stored-tables.ts'

export interface BackUpOptions {
  /** Settings as the service reads them: the address of the database, and the encryption key when it is included. */
  env: Record<string, string | undefined>
  output: Writable
  /** Includes the encryption key. Anyone with the file can then decrypt every secret. */
  withEncryptionKey: boolean
  signal: AbortSignal
}

/**
 * Writes all data of the service into one file: each table as PostgreSQL `COPY` text, from one snapshot. The service
 * may run meanwhile. Memory use does not depend on the size of the database.
 *
 * @throws BackupRefused, EncryptionKeyError, and what opening a database throws
 */
export async function backUp({ env, output, withEncryptionKey, signal }: BackUpOptions): Promise<BackupManifest> {
  const config = readConfig(env)
  const configured = withEncryptionKey ? configuredKeys(config) : []
  if (withEncryptionKey && configured.length === 0)
    throw new BackupRefused(
      'There is no encryption key to add to the backup. Set MORTISE_ENCRYPTION_KEY or MORTISE_ENCRYPTION_KEY_FILE.',
    )
  const reached = await reachExisting(config)
  const archive = writeArchive(output, signal)
  try {
    return await writeAll(reached, archive, withEncryptionKey ? configured : undefined)
  } catch (error) {
    archive.abort()
    throw error
  } finally {
    await reached.close()
  }
}

async function writeAll({ client, where }: Reached, archive: ArchiveWriter, configured: Buffer[] | undefined) {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('mortise.kysely_migration') is not null as there`,
  )
  if (!rows[0]?.there) throw new BackupRefused(`The database at ${where} holds no Mortise.`)
  // Creating and dropping partitions takes this lock. Without it, a drop would wait for the backup, and all other
  // statements for the drop.
  await client.query(`select pg_advisory_lock(hashtext('mortise.partitions'))`)
  await client.query('begin isolation level repeatable read, read only')
  await client.query(sessionSettings)
  await refuseHiddenRows(client, where)

  // Reads through JSON, because a database of an earlier release has no column `state`.
  const encryptionKeyIds = await column(
    client,
    `select key_id as value from ${await keyTable(client)} k where to_jsonb(k) ->> 'state' is distinct from 'retired' order by create_time`,
  )
  const encryptionKey = configured && keyOf(configured, encryptionKeyIds)
  const migrations = await column(client, 'select name as value from kysely_migration order by name')
  const days = await daysWithPartitions(client)
  const months = await monthsWithPartitions(client)
  const copy = async (file: string, query: string, options: string): Promise<BackupPart> => {
    const stream = client.query(copyTo(`copy (${query}) to stdout ${options}`))
    const measured = await archive.add(file, stream)
    // The row count arrives after the last row; the server's next response arrives after the count.
    await client.query('select 1')
    return { rows: stream.rowCount, ...measured }
  }
  const tables: BackupManifest['tables'] = []
  for (const { name, columns } of await storedTables(client)) {
    const list = columns.map(pg.escapeIdentifier).join(', ')
    const part = await copy(fileOfTable(name), `select ${list} from mortise.${pg.escapeIdentifier(name)}`, '')
    tables.push({ name, columns, ...part })
  }
  const jobs = await copyJobs(client, copy)
  if (encryptionKey)
    await archive.add(encryptionKeyName, Readable.from([Buffer.from(`${encryptionKey.toString('base64')}\n`)]))
  const manifest: BackupManifest = {
    format: formatVersion,
    mortise: mortiseVersion,
    createTime: new Date().toISOString(),
    migrations,
    days,
    months,
    tables,
    jobs,
    encryptionKeyIds,
    encryptionKey: encryptionKey !== undefined,
  }
  await archive.end(`${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}

/**
 * Refuses a login that does not see all rows. Row-level security hides rows without an error, so the backup would lack
 * them.
 */
async function refuseHiddenRows(client: pg.Client, where: string): Promise<void> {
  const hidden = await column(
    client,
    `select relname as value from pg_class c
      where relnamespace = 'mortise'::regnamespace and relkind in ('r', 'p') and not relispartition and row_security_active(c.oid)
        and not exists (select from pg_policy, unnest(polroles) as role
          where polrelid = c.oid and polname = 'owner' and pg_has_role(role, 'usage'))`,
  )
  if (hidden.length > 0)
    throw new BackupRefused(
      `Row-level security hides rows of the database at ${where} from this login. Use the login that the service has, or a superuser.`,
    )
}

/** Returns the name of the table of encryption keys; a database of an earlier release calls it `seal_keys`. */
async function keyTable(client: pg.Client): Promise<string> {
  const [name = ''] = await column(
    client,
    `select case when to_regclass('mortise.encryption_keys') is null then 'seal_keys' else 'encryption_keys' end as value`,
  )
  return name
}

async function copyJobs(
  client: pg.Client,
  copy: (file: string, query: string, options: string) => Promise<BackupPart>,
): Promise<BackupPart> {
  const { rows } = await client.query<{ there: boolean; readable: boolean }>(`
    select to_regclass('mortise_jobs.job') is not null as there,
           coalesce(has_table_privilege(to_regclass('mortise_jobs.job'), 'select'), true) as readable`)
  // The queue belongs to a role that the login may switch to but need not inherit.
  if (!rows[0]?.readable) await client.query('set local role mortise_system')
  const query = rows[0]?.there ? pendingJobsQuery : 'select null::json where false'
  // Quote and delimiter never occur in JSON, so each row is one unquoted line.
  return await copy(jobsName, query, `(format csv, quote E'\\x01', delimiter E'\\x02')`)
}

/** Returns the single key that decrypts all secrets. */
function keyOf(configured: Buffer[], encryptionKeyIds: string[]): Buffer {
  if (encryptionKeyIds.length > 1)
    throw new BackupRefused(
      `Secrets are encrypted under ${encryptionKeyIds.length} keys (${encryptionKeyIds.join(', ')}), because a rotation has not ended. ` +
        'Run mortise keys rotate to its end, or back up without --with-encryption-key.',
    )
  const ids = configured.map((active) => createKeyring({ active }).activeId)
  const found = configured[ids.findIndex((id) => encryptionKeyIds.includes(id))]
  if (!found)
    throw new BackupRefused(
      `The encryption key ${ids.join(', ')} is not the key of the database (${encryptionKeyIds.join(', ')}). Set the key of the database.`,
    )
  return found
}

async function column(client: pg.Client, query: string): Promise<string[]> {
  const { rows } = await client.query<{ value: string }>(query)
  return rows.map(({ value }) => value)
}
