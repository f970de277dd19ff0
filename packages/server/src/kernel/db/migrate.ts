import { readdir } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
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
 * Migrates the schema to the newest version. Several nodes may call it at the same time: one migrates, the others wait.
 * With `names`, runs only these migrations, for the schema of an earlier release.
 */
export async function migrate(db: Kysely<unknown>, names?: readonly string[]): Promise<{ applied: string[] }> {
  if (!names && (await isCurrent(db))) {
    await replaceFunctions(db)
    return { applied: [] }
  }
  const migrator = new Migrator({ db, provider: names ? only(names) : provider })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error
  if (!names) await replaceFunctions(db)
  return {
    applied: (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName),
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
