import { readdir } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import { replaceFunctions } from './replace-functions.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Loads the files `NNNN-name` of the folder. `.ts` from source and `.js` when published are the same migration. */
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

/** Returns the names of all migrations of this release, in order. */
export async function knownMigrations(): Promise<string[]> {
  return Object.keys(await provider.getMigrations())
}

/**
 * Migrates the schema to the newest version. Several nodes may call it at the same time: one migrates, the others wait.
 * With `names`, runs only these migrations, for the schema of an earlier release.
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

/** Returns the migrations of this release that the database lacks. */
export async function pendingMigrations(db: Kysely<unknown>): Promise<string[]> {
  const all = await new Migrator({ db, provider }).getMigrations()
  return all.filter((migration) => !migration.executedAt).map((migration) => migration.name)
}
