import process from 'node:process'
import { announce } from './announce.ts'
import { createApp } from './app.ts'
import { collectAfterStart } from './collect-after-start.ts'
import type { Config } from './config.ts'
import { fail } from './fail.ts'
import { bootstrap } from './features/identity/access/index.ts'
import { firstOwnerLink } from './features/identity/sign-in/index.ts'
import type { KeptPostgres } from './kernel/db/embedded/keep-embedded.ts'
import { checkEncryptionKeys } from './kernel/db/index.ts'
import type { ProcessGroup } from './kernel/processes/index.ts'
import type { Logger } from './kernel/telemetry/index.ts'
import { stopMsMax } from './stop-time.ts'
import { openStorage, type Storage } from './storage.ts'

export interface ServeOptions {
  config: Config
  log: Logger
  /** The embedded PostgreSQL, which may still be starting; undefined with DATABASE_URL. */
  embedded: Promise<KeptPostgres> | undefined
  /** Create an additional API key. */
  newKey: boolean
  /** The processes of the service, of which this is one; undefined for one process. */
  group?: ProcessGroup
  /** Print nothing: another process has. */
  quiet?: boolean
}

/** Opens the storage, starts the service, and ends it on a signal. */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, log, embedded } = options
  const storage = await openStorage(config, log, embedded)
  try {
    await startApp(storage, options)
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function startApp(storage: Storage, { log, newKey, group, quiet = false }: ServeOptions): Promise<void> {
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
    group,
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
  if (!quiet) {
    // A worker serves no pages.
    const firstOwner = config.roles === 'worker' ? undefined : await firstOwnerLink({ database, keyring, publicUrl })
    announce({ url: publicUrl, config, storage, access, firstOwner })
  }

  collectAfterStart()

  const stop = () => {
    if (!stopping) setTimeout(() => process.exit(1), stopMsMax(config)).unref()
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
