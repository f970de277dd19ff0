import { Readable, type Writable } from 'node:stream'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { readConfig } from '../config.ts'
import { pendingJobsQuery } from '../kernel/jobs/index.ts'
import { createKeyring } from '../kernel/seal/index.ts'
import { givenSealKey } from '../storage.ts'
import { type ArchiveWriter, writeArchive } from './archive-writer.ts'
import {
  type BackupManifest,
  type BackupPart,
  fileOfTable,
  formatVersion,
  jobsName,
  mortiseVersion,
  sealKeyName,
} from './manifest.ts'
import { type Reached, reachExisting } from './place.ts'
import { BackupRefused } from './problems.ts'
import { sessionSettings } from './session-settings.ts'
import { daysWithPartitions, storedTables } from './stored-tables.ts'

export interface BackUpOptions {
  /** Settings as the service reads them: where the database is, and the seal key where it is wanted. */
  env: Record<string, string | undefined>
  output: Writable
  /** Put the root key into the file: whoever has the file then has every secret. */
  withSealKey: boolean
  signal: AbortSignal
}

/**
 * Writes everything that the service keeps into one file: each table as PostgreSQL's `COPY` text, of one moment, whatever is written
 * meanwhile. The service may run. Memory does not grow with the size.
 *
 * @throws BackupRefused, SealKeyError, and what opening a database throws
 */
export async function backUp({ env, output, withSealKey, signal }: BackUpOptions): Promise<BackupManifest> {
  const config = readConfig(env)
  const sealKey = withSealKey ? givenSealKey(config) : undefined
  if (withSealKey && !sealKey)
    throw new BackupRefused(
      'There is no seal key to put into the backup: set MORTISE_SEAL_KEY or MORTISE_SEAL_KEY_FILE.',
    )
  const reached = await reachExisting(config)
  const archive = writeArchive(output, signal)
  try {
    return await writeAll(reached, archive, sealKey)
  } catch (error) {
    archive.abort()
    throw error
  } finally {
    await reached.close()
  }
}

async function writeAll({ client, where }: Reached, archive: ArchiveWriter, sealKey: Buffer | undefined) {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('mortise.kysely_migration') is not null as there`,
  )
  if (!rows[0]?.there) throw new BackupRefused(`The database at ${where} holds no Mortise.`)
  // Partitions are made and dropped under this lock. Without it, a drop would wait for us, and everybody else for the drop.
  await client.query(`select pg_advisory_lock(hashtext('mortise.partitions'))`)
  await client.query('begin isolation level repeatable read, read only')
  await client.query(sessionSettings)

  const sealKeyIds = await column(client, 'select key_id as value from seal_keys order by create_time')
  if (sealKey) checkIsKeyOf(sealKey, sealKeyIds)
  const migrations = await column(client, 'select name as value from kysely_migration order by name')
  const days = await daysWithPartitions(client)
  const copy = async (file: string, query: string, options: string): Promise<BackupPart> => {
    const stream = client.query(copyTo(`copy (${query}) to stdout ${options}`))
    const measured = await archive.add(file, stream)
    // The number of rows comes after the last of them; the next answer of the server comes after that.
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
  if (sealKey) await archive.add(sealKeyName, Readable.from([Buffer.from(`${sealKey.toString('base64')}\n`)]))
  const manifest: BackupManifest = {
    format: formatVersion,
    mortise: mortiseVersion,
    createTime: new Date().toISOString(),
    migrations,
    days,
    tables,
    jobs,
    sealKeyIds,
    sealKey: sealKey !== undefined,
  }
  await archive.end(`${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}

async function copyJobs(
  client: pg.Client,
  copy: (file: string, query: string, options: string) => Promise<BackupPart>,
): Promise<BackupPart> {
  const { rows } = await client.query<{ there: boolean; readable: boolean }>(`
    select to_regclass('mortise_jobs.job') is not null as there,
           coalesce(has_table_privilege(to_regclass('mortise_jobs.job'), 'select'), true) as readable`)
  // The queue belongs to a role that the login may use, and whose rights it need not have.
  if (!rows[0]?.readable) await client.query('set local role mortise_system')
  const query = rows[0]?.there ? pendingJobsQuery : 'select null::json where false'
  // Quote and delimiter never occur in JSON, so that each row is a line of it as it is.
  return await copy(jobsName, query, `(format csv, quote E'\\x01', delimiter E'\\x02')`)
}

function checkIsKeyOf(sealKey: Buffer, sealKeyIds: string[]): void {
  const { activeId } = createKeyring({ active: sealKey })
  if (!sealKeyIds.includes(activeId))
    throw new BackupRefused(
      `The seal key that was given (${activeId}) is not that of the database (${sealKeyIds.join(', ')}): it would open nothing.`,
    )
}

async function column(client: pg.Client, query: string): Promise<string[]> {
  const { rows } = await client.query<{ value: string }>(query)
  return rows.map(({ value }) => value)
}
