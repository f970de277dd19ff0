import { rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import { allJobs } from '../features/index.ts'
import { grantRoles, knownMigrations, migrate, prepareRoles, refuseOldServer, systemRole } from '../kernel/db/index.ts'
import { createKeyring, parseEncryptionKey, writeEncryptionKeyFile } from '../kernel/encryption/index.ts'
import type { JobQueue } from '../kernel/jobs/index.ts'
import { configuredKeys, encryptionKeyFileOf } from '../storage.ts'
import { type OpenBackup, openBackup } from './archive-reader.ts'
import { type BackupManifest, encryptionKeyName, formerKeyName } from './manifest.ts'
import { type Reached, reachUnused } from './place.ts'
import { BackupRefused, UnusableBackup } from './problems.ts'
import { installQueue } from './queue.ts'
import { copyTables, putJobsBack } from './restore-rows.ts'
import { sessionSettings } from './session-settings.ts'

export interface RestoreOptions {
  /** Path of the backup. */
  file: string
  /** Settings as the service reads them: the database to restore to, and the encryption key. */
  env: Record<string, string | undefined>
  signal: AbortSignal
}

export interface Restored {
  manifest: BackupManifest
  /** Folder of the embedded database, or `DATABASE_URL`. */
  where: string
  /** Migrations that were applied after the rows were restored. */
  migrated: string[]
  /** Encryption keys that the service needs at its start, but that were neither configured nor in the backup. */
  missingEncryptionKeys: string[]
  /** File that the encryption key of the backup was written to. */
  encryptionKeyFile: string | undefined
  /** Queues of waiting jobs that do not exist in this release. */
  unknownQueues: string[]
}

/**
 * Restores a backup into an empty database. All rows and migrations are one transaction: after a damaged file or an
 * interruption, the database is still empty.
 *
 * @throws UnusableBackup, BackupRefused, DataFolderInUse while a service runs on the folder, EncryptionKeyError, and
 *   what opening a database throws
 */
export async function restore({ file, env, signal }: RestoreOptions): Promise<Restored> {
  const config = readConfig(env)
  const backup = await openBackup(file)
  try {
    const { manifest } = backup
    await refuseNewer(manifest)
    const configured = configuredKeys(config)
    const kept = manifest.encryptionKey
      ? parseEncryptionKey(
          (await backup.readSmall(manifest.format === 1 ? formerKeyName : encryptionKeyName)).toString('utf8'),
          file,
        )
      : undefined
    const isConfigured = configured.length > 0
    const missingEncryptionKeys = missingKeys(manifest, isConfigured || !kept ? configured : [kept], isConfigured)
    const reached = await reachUnused(config)
    try {
      const newFile = !isConfigured && kept ? encryptionKeyFileOf(config) : undefined
      if (newFile !== undefined && kept) {
        await mkdir(dirname(newFile), { recursive: true, mode: 0o700 })
        writeEncryptionKeyFile(newFile, kept)
      }
      try {
        const outcome = await restoreDatabase(reached, backup, signal)
        return { manifest, where: reached.where, missingEncryptionKeys, encryptionKeyFile: newFile, ...outcome }
      } catch (error) {
        if (newFile !== undefined) rmSync(newFile, { force: true })
        throw error
      }
    } finally {
      await reached.close()
    }
  } finally {
    backup.close()
  }
}

async function refuseNewer({ migrations, mortise }: BackupManifest): Promise<void> {
  const known = await knownMigrations()
  const unknown = migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new UnusableBackup(
      `The backup was made by a newer release (${mortise}): this one does not know ${unknown.join(', ')}. Restore it with that release, or a newer one.`,
    )
}

/**
 * Returns the keys that are neither configured nor in the backup. Refuses a configured key that does not match: the
 * service would not start with it.
 */
function missingKeys({ encryptionKeyIds }: BackupManifest, keys: Buffer[], areConfigured: boolean): string[] {
  const ids = keys.map((active) => createKeyring({ active }).activeId)
  const missing = encryptionKeyIds.filter((id) => !ids.includes(id))
  if (missing.length > 0 && areConfigured)
    throw new BackupRefused(
      `The secrets in the backup are encrypted with the key ${missing.join(', ')}, but the encryption key here is ${ids.join(', ')}. ` +
        'Set the key of the backup (MORTISE_ENCRYPTION_KEY or MORTISE_ENCRYPTION_KEY_FILE; the second key of a rotation as MORTISE_ENCRYPTION_KEY_NEXT), or move the other key file. Nothing was changed.',
    )
  return missing
}

async function restoreDatabase(reached: Reached, backup: OpenBackup, signal: AbortSignal) {
  const { db, client } = reached
  await refuseOldServer(db)
  const { rows } = await client.query<{ mine: boolean }>(
    `select pg_try_advisory_lock(hashtext('mortise.migrate')) as mine`,
  )
  if (!rows[0]?.mine)
    throw new BackupRefused('A Mortise is starting on this database, or another restore runs. Stop it first.')
  const before = await contentOf(reached)
  if (before === 'used')
    throw new BackupRefused(
      `The database at ${reached.where} is not empty: it holds a Mortise already, and a restore replaces nothing. ` +
        'Name another folder (--data-dir) or a new database (--database-url), or move the old folder away.',
    )
  try {
    const rolesInUse = await db.connection().execute(prepareRoles)
    const queue = await installQueue(reached, rolesInUse, allJobs)
    try {
      const outcome = await db
        .transaction()
        .execute((tx) => restoreRows(tx, reached, backup, { queue, rolesInUse, signal }))
      await client.query('analyze')
      return outcome
    } finally {
      await queue.close()
    }
  } catch (error) {
    // Best effort: the database is empty either way.
    if (before === 'nothing')
      await client.query('drop schema if exists mortise, mortise_jobs cascade').catch(() => undefined)
    throw error
  }
}

/** `nothing`: no schema of Mortise. `empty`: schemas without tables, as an interrupted restore leaves them. */
async function contentOf({ client }: Reached): Promise<'nothing' | 'empty' | 'used'> {
  const { rows } = await client.query<{ schema: boolean; tables: boolean }>(`
    select to_regnamespace('mortise') is not null or to_regnamespace('mortise_jobs') is not null as schema,
           exists (select from pg_class where relnamespace = to_regnamespace('mortise')) as tables`)
  const [found] = rows
  if (found?.tables) return 'used'
  return found?.schema ? 'empty' : 'nothing'
}

/**
 * Lets the owner fill tables by COPY, which PostgreSQL refuses where row-level security applies. The change is visible
 * only within the transaction.
 */
async function withoutForcedSecurity(tx: Transaction<unknown>, work: () => Promise<void>): Promise<void> {
  const { rows: forced } = await sql<{ name: string }>`
    select oid::regclass::text as name from pg_class
     where relnamespace = 'mortise'::regnamespace and relkind in ('r', 'p') and not relispartition and relforcerowsecurity`.execute(
    tx,
  )
  for (const { name } of forced) await sql.raw(`alter table ${name} no force row level security`).execute(tx)
  await work()
  // Checks now: a table with pending constraint checks cannot be altered, neither here nor by later migrations.
  await sql`set constraints all immediate`.execute(tx)
  for (const { name } of forced) await sql.raw(`alter table ${name} force row level security`).execute(tx)
}

async function restoreRows(
  tx: Transaction<unknown>,
  { client }: Reached,
  backup: OpenBackup,
  options: { queue: { jobs: JobQueue }; rolesInUse: boolean; signal: AbortSignal },
) {
  const { manifest } = backup
  const { queue, rolesInUse, signal } = options
  await client.query(sessionSettings)
  await migrate(tx, manifest.migrations)
  await client.query('set local lock_timeout = 0')
  await client.query(`set local mortise.restoring = 'on'`)
  for (const day of manifest.days) await sql`select ensure_partitions(${day}::date, ${day}::date)`.execute(tx)
  for (const month of manifest.months ?? [])
    await sql`select ensure_count_partitions(${`${month}01`}::date, ${`${month}01`}::date)`.execute(tx)
  await withoutForcedSecurity(tx, () => copyTables(client, backup, signal))
  const { applied: migrated } = await migrate(tx)
  if (rolesInUse) await grantRoles(tx)
  if (rolesInUse) await sql`set local role ${sql.id(systemRole)}`.execute(tx)
  const unknownQueues = await putJobsBack(tx, queue.jobs, backup)
  if (rolesInUse) await sql`set local role none`.execute(tx)
  signal.throwIfAborted()
  return { migrated, unknownQueues }
}
