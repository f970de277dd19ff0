/** Another running Mortise uses the data. `pid` is that Mortise process when it is known, else its PostgreSQL. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse'
  readonly pid: number

  constructor(dataDir: string, holder: { pid: number; isMortise: boolean }) {
    const who = holder.isMortise
      ? `another Mortise, process ${holder.pid}`
      : `the PostgreSQL process ${holder.pid}, whose Mortise process is unknown`
    super(
      `The database in ${dataDir} is in use by ${who}. ` +
        `Stop it first (kill ${holder.pid}), or set another MORTISE_DATA_DIR.`,
    )
    this.pid = holder.pid
  }
}

/** Another major version of PostgreSQL wrote the data. Mortise left it unchanged. */
export class WrongPostgresMajor extends Error {
  override readonly name = 'WrongPostgresMajor'

  constructor(found: { dataDir: string; dataMajor: string; ownMajor: string; bin: string; socket: string }) {
    const { dataDir, dataMajor, ownMajor, bin, socket } = found
    super(
      [
        `The database in ${dataDir} was written by PostgreSQL ${dataMajor}; this release of Mortise includes PostgreSQL ${ownMajor}.`,
        'Nothing was changed. To migrate the data (as the user that owns that folder):',
        `  1. Start the Mortise release that you ran before, and write everything into a file with pg_dumpall ${ownMajor} or newer:`,
        `       pg_dumpall -h ${socket} -U postgres -f mortise.sql`,
        '  2. Stop that Mortise and put its data aside:',
        `       mv ${dataDir} ${dataDir}-${dataMajor}`,
        `  3. Make an empty PostgreSQL ${ownMajor}, start it alone, load the file, stop it:`,
        `       ${bin}/initdb -D ${dataDir} -U postgres --auth-local=trust --auth-host=reject -E UTF8 --locale=C`,
        `       ${bin}/pg_ctl -D ${dataDir} -w -o "-c listen_addresses= -k ${socket}" start`,
        `       psql -h ${socket} -U postgres -f mortise.sql postgres`,
        `       ${bin}/pg_ctl -D ${dataDir} -w stop`,
        `  4. Start this release. When all is well, remove ${dataDir}-${dataMajor}.`,
        'Or start the previous release. Then no migration is needed.',
      ].join('\n'),
    )
  }
}

/** This machine, user or file system cannot run the bundled PostgreSQL. */
export class CannotRunPostgres extends Error {
  override readonly name = 'CannotRunPostgres'

  constructor(reason: string, options?: ErrorOptions) {
    super(
      `Mortise cannot run its own PostgreSQL here: ${reason}. Set DATABASE_URL to a PostgreSQL 15 or newer instead.`,
      options,
    )
  }
}

/** The path file names a data folder that no longer exists. Starting with an empty one would hide the loss. */
export class DataFolderMissing extends Error {
  override readonly name = 'DataFolderMissing'

  constructor(folder: string, note: string) {
    super(
      `The database is stored in ${folder} (according to ${note}), and that folder does not exist. ` +
        `Restore the folder. Or remove ${note} to start with an empty database.`,
    )
  }
}

/** PostgreSQL ended or was not ready in time. The message ends with the last lines of its log. */
export class PostgresDidNotStart extends Error {
  override readonly name = 'PostgresDidNotStart'

  constructor(what: string, lastLines: readonly string[]) {
    super([what, ...lastLines.map((line) => `  ${line}`)].join('\n'))
  }
}
