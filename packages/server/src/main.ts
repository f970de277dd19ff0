import process from 'node:process'
import { announce } from './announce.ts'
import { createApp } from './app.ts'
import { InvalidConfig, readConfig } from './config.ts'
import { bootstrap } from './features/access/index.ts'
import { checkSealKeys } from './kernel/db/index.ts'
import { createLogger } from './kernel/telemetry/index.ts'
import { openStorage } from './storage.ts'

/** `npm start`: reads the configuration, opens the database, starts the service, and ends it on a signal. */

try {
  const config = readConfig(process.env)
  const log = createLogger({ level: config.logLevel })
  const storage = await openStorage(config, log)
  const { database, keyring } = storage
  await checkSealKeys(database, keyring)
  const access = await bootstrap({
    database,
    keyring,
    dataDir: config.dataDir,
    bootstrapApiKey: config.bootstrapApiKey,
    newKey: process.argv.includes('--new-key'),
  })
  const app = await createApp({ config: storage.config, database, keyring, log })
  const { url } = await app.start()
  announce({ url: config.publicUrl ?? url, config: storage.config, storage, access })

  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= (async () => {
      await app.stop()
      await database.close()
      await storage.stop()
    })()
    return stopping
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void stop().then(() => process.exit(0), fail))
  }
  storage.lost?.then(() => {
    if (stopping) return
    log.fatal('the embedded PostgreSQL ended by itself; ending too, so that whoever supervises starts both again')
    process.exit(1)
  })
  // An error that nobody caught leaves the process in a state that nobody knows (reliability first): log, drain, end.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught error')
    void stop().finally(() => process.exit(1))
  })
} catch (error) {
  fail(error)
}

function fail(error: unknown): never {
  const known =
    error instanceof InvalidConfig || (error instanceof Error && error.name !== 'Error' && error.name !== 'TypeError')
  process.stderr.write(`${known ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}
