import { readdir } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import { replaceFunctions } from './replace-functions.ts'

const folder = new URL('./migrations/', import.meta.url)

/**
 * Migrations are the files `NNNN-name` of the folder; `.ts` from source and `.js` when published are the same
 * migration.
 */
const provider: MigrationProvider = {
  async getMigrations() {
    const files = (await readdir(folder)).filter((file) => /^\d{4}-[\w-]+\.[jt]s$/.test(file)).sort()
    const entries = files.map(
      async (file): Promise<[string, Migration]> => [
        file.replace(/\.[jt]s$/, ''),
        await import(new URL(file, folder).href),
      ],
    )
    return Object.fromEntries(await Promise.all(entries))
  },
}

/** The names of all migrations that this code knows, in their order. */
export async function knownMigrations(): Promise<string[]> {
  return Object.keys(await provider.getMigrations())
}

/**
 * Brings the schema to the newest migration. Safe to run from several nodes at once: one does the work, the others
 * wait. With `names` only these are run: the schema as an earlier release had it.
 */
export async function migrate(db: Kysely<unknown>, names?: readonly string[]): Promise<{ applied: string[] }> {
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

/** The migrations that this code knows and the database does not have yet. */
export async function pendingMigrations(db: Kysely<unknown>): Promise<string[]> {
  const all = await new Migrator({ db, provider }).getMigrations()
  return all.filter((migration) => !migration.executedAt).map((migration) => migration.name)
}
