import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import { lastRelease } from './last-release.ts'
import { replaceFunctions } from './replace-functions.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Loads the files `NNNN-name` of the folder. `.ts` from source and `.js` when published are the same migration. */
const provider: MigrationProvider = {
  async getMigrations() {
    const entries = (await migrationFiles()).map(
      async (file): Promise<[string, Migration]> => [nameOf(file), await import(new URL(file, folder).href)],
    )
    return Object.fromEntries(await Promise.all(entries))
  },
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(folder)).filter((file) => /^\d{4}-[\w-]+\.[jt]s$/.test(file)).sort()
}

const nameOf = (file: string) => file.replace(/\.[jt]s$/, '')

/** Returns the names of all migrations of this release, in order. */
export async function knownMigrations(): Promise<string[]> {
  return (await migrationFiles()).map(nameOf)
}

/**
 * Migrates a schema that nobody else uses to the newest version, in one transaction. With `names`, runs only these
 * migrations, for the schema of an earlier release.
 */
export async function migrate(db: Kysely<unknown>, names?: readonly string[]): Promise<{ applied: string[] }> {
  if (!names && (await isCurrent(db))) {
    await finish(db)
    return { applied: [] }
  }
  const migrator = new Migrator({ db, provider: names ? only(names) : provider })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error
  if (!names) await finish(db)
  return {
    applied: (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName),
  }
}

/**
 * Does what follows the migrations of this release. The comment names the last migration that a release must know to
 * use the schema (`refuseOutdated`).
 */
async function finish(db: Kysely<unknown>): Promise<void> {
  await replaceFunctions(db)
  if ((await oldestUsable(db)) !== lastRelease.migration)
    await sql`comment on table mortise.kysely_migration is ${sql.lit(lastRelease.migration)}`.execute(db)
}

async function oldestUsable(db: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string | null }>`
    select obj_description(to_regclass('mortise.kysely_migration'), 'pg_class') as name`.execute(db)
  return rows[0]?.name ?? undefined
}

/**
 * How long a migration may wait for a lock. All others who want the table wait behind it. It is shorter than the
 * `deadlock_timeout` of PostgreSQL, a second: if a migration and a request wait for each other, the migration gives up.
 */
const lockTimeout = '500ms'
const lockAttempts = 100

/**
 * Migrates a database that nodes of the last release may be using, in the transaction of the caller. Fails when it has
 * to wait long for a lock: `unlessLocked` lets the others pass, and tries again. A database that a newer release has
 * migrated stays as it is, if nodes of this release can use it.
 *
 * @throws Error when a newer release has dropped what this release needs
 */
export async function migrateInUse(tx: Kysely<unknown>): Promise<{ applied: string[] }> {
  const [executed, known] = await Promise.all([executedMigrations(tx), knownMigrations()])
  if (executed.some((name) => !known.includes(name))) {
    await refuseOutdated(tx, known)
    return { applied: [] }
  }
  if (executed.length > 0) await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(tx)
  // A request that creates a destination then changes messages. The migration locks the two in the same order.
  if (executed.length > 0 && executed.length < known.length)
    await sql`lock table destinations in share row exclusive mode`.execute(tx)
  return await migrate(tx)
}

async function refuseOutdated(db: Kysely<unknown>, known: readonly string[]): Promise<void> {
  const oldest = await oldestUsable(db)
  if (oldest === undefined || known.includes(oldest)) return
  throw new Error(
    'A newer release of Mortise has migrated the database, and this release can no longer use it. Start the newer release.',
  )
}

/** Repeats a transaction that a lock or a deadlock ended. */
export async function unlessLocked<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (attempt === lockAttempts || (code !== '55P03' && code !== '40P01')) throw error
      await delay(1_000)
    }
  }
}

function only(names: readonly string[]): MigrationProvider {
  return {
    async getMigrations() {
      const all = Object.entries(await provider.getMigrations())
      return Object.fromEntries(all.filter(([name]) => names.includes(name)))
    },
  }
}

/** Returns the migrations of this release that the database lacks. */
export async function pendingMigrations(db: Kysely<unknown>): Promise<string[]> {
  const executed = new Set(await executedMigrations(db))
  return (await knownMigrations()).filter((name) => !executed.has(name))
}

/**
 * Returns whether the database has exactly the migrations of this release. Loading them to find out took a quarter of a
 * second of every start.
 */
async function isCurrent(db: Kysely<unknown>): Promise<boolean> {
  const [executed, known] = await Promise.all([executedMigrations(db), knownMigrations()])
  return executed.length === known.length && executed.every((name, at) => name === known[at])
}

/** Returns the names of executed migrations, in order; none before the first migration. */
async function executedMigrations(db: Kysely<unknown>): Promise<string[]> {
  const { rows: tables } = await sql<{ made: boolean }>`
    select to_regclass('mortise.kysely_migration') is not null as made`.execute(db)
  if (!tables[0]?.made) return []
  const { rows } = await sql<{ name: string }>`
    select name from mortise.kysely_migration order by name collate "C"`.execute(db)
  return rows.map(({ name }) => name)
}
