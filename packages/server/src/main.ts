import process from 'node:process'
import { announce } from './announce.ts'
import { createApp } from './app.ts'
import { readCommandLine } from './command-line.ts'
import { readConfig } from './config.ts'
import { bootstrap } from './features/identity/access/index.ts'
import { firstOwnerLink } from './features/identity/sign-in/index.ts'
import { checkEncryptionKeys } from './kernel/db/index.ts'
import { createLogger, type Logger } from './kernel/telemetry/index.ts'
import { openStorage, type Storage } from './storage.ts'

/** `npm start`: reads the configuration, opens the storage, starts the service, and ends it on a signal. */

/** Time that running work gets after a signal. */
const stopMostMs = 25_000

const commandLine = readCommandLine(process.argv.slice(2))
if ('show' in commandLine) {
  const { show, exitCode } = commandLine
  ;(exitCode === 0 ? process.stdout : process.stderr).write(show)
  process.exitCode = exitCode
} else {
  await open(commandLine).catch(fail)
}

async function open({ newKey }: { newKey: boolean }): Promise<void> {
  const config = readConfig(process.env)
  const log = createLogger({ level: config.logLevel })
  const storage = await openStorage(config, log)
  try {
    await serve(storage, log, newKey)
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function serve(storage: Storage, log: Logger, newKey: boolean): Promise<void> {
  const { config, database, keyring } = storage
  await checkEncryptionKeys(database, keyring)
  const access = await bootstrap({
    database,
    keyring,
    dataDir: config.dataDir,
    bootstrapApiKey: config.bootstrapApiKey,
    newKey,
  })
  let stopping: Promise<void> | undefined
  const app = await createApp({
    config,
    database,
    keyring,
    log,
    keyMissing(err) {
      log.fatal({ err }, 'stopping: this node cannot decrypt what other nodes encrypt')
      void stop().finally(() => process.exit(1))
    },
  })
  const { url } = await app.start().catch(async (error: unknown) => {
    await app.stop()
    throw error
  })
  const publicUrl = config.publicUrl ?? url
  // A worker serves no pages.
  const firstOwner = config.roles === 'worker' ? undefined : await firstOwnerLink({ database, keyring, publicUrl })
  announce({ url: publicUrl, config, storage, access, firstOwner })

  const stop = () => {
    if (!stopping) setTimeout(() => process.exit(1), stopMostMs + config.stopDelaySeconds * 1_000).unref()
    stopping ??= app.stop().finally(() => storage.close())
    return stopping
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void stop().then(() => process.exit(0), fail))
  }
  storage.lost?.then((error) => {
    if (stopping) return
    log.fatal({ err: error }, 'failed to restart the embedded PostgreSQL; stopping')
    process.exit(1)
  })
  // The state of the process is unknown after an uncaught error: log, stop, end.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught error')
    void stop().finally(() => process.exit(1))
  })
}

/** Errors with a specific name are written for the terminal; others are shown with their stack. */
function fail(error: unknown): never {
  const known = error instanceof Error && !['Error', 'TypeError', 'RangeError', 'error'].includes(error.name)
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}
