import { resolve } from 'node:path'
import type { Command } from './command.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Options of the commands that work on the database itself. */
export interface DatabaseOptions {
  databaseUrl?: string
  dataDir?: string
}

/** `--database-url` and `--data-dir`, which say where the database is, as the settings of the service do. */
export function withDatabase(command: Command): Command {
  return command
    .option('--database-url <url>', 'the PostgreSQL (DATABASE_URL); without it, the embedded one of the data folder')
    .option('--data-dir <folder>', 'the data folder (MORTISE_DATA_DIR; default: .mortise)')
}

/** The settings of the service: those of the environment, where the options say nothing else. */
export function settingsOf({ databaseUrl, dataDir }: DatabaseOptions, { env, cwd }: Terminal) {
  const folder = dataDir ?? env['MORTISE_DATA_DIR'] ?? '.mortise'
  return {
    ...env,
    MORTISE_DATA_DIR: resolve(cwd, folder),
    // A folder that is named is not overruled by a database that the environment names.
    ...(dataDir !== undefined && { DATABASE_URL: undefined, DATABASE_DIRECT_URL: undefined }),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: undefined }),
  }
}
