import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { type BackupManifest, backUp, type Restored, restore } from '../packages/server/src/index.ts'
import { createEmptyDatabase } from '../packages/server/src/testkit/test-database.ts'

const signal = new AbortController().signal

/** A folder for one test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-backup-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Backs the database at a URL up into a new file. */
export async function backUpTo(folder: string, url: string): Promise<{ file: string; manifest: BackupManifest }> {
  const file = join(folder, `${randomUUID()}.zip`)
  const manifest = await backUp({
    env: { DATABASE_URL: url, MORTISE_DATA_DIR: folder },
    output: createWriteStream(file),
    withEncryptionKey: false,
    signal,
  })
  return { file, manifest }
}

/** Restores into the database at a URL. */
export async function restoreTo(file: string, url: string, env: Record<string, string> = {}): Promise<Restored> {
  return await restore({ file, env: { DATABASE_URL: url, MORTISE_DATA_DIR: '/nonexistent', ...env }, signal })
}

/** An empty database, gone when the test has ended. */
export async function emptyDatabase() {
  const database = await createEmptyDatabase()
  onTestFinished(() => database.drop())
  return database
}

/** Names of what there is of ours in a database. */
export async function relations(url: string): Promise<string[]> {
  return (
    await query<{ name: string }>(
      url,
      `select relname as name from pg_class where relnamespace in (to_regnamespace('mortise'), to_regnamespace('mortise_jobs'))`,
    )
  ).map(({ name }) => name)
}

export async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}
