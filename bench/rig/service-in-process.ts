import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type App, createApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { bootstrap } from '../../packages/server/src/features/identity/access/index.ts'
import type { ProjectDb } from '../../packages/server/src/kernel/db/index.ts'
import { createLogger } from '../../packages/server/src/kernel/telemetry/index.ts'
import { openStorage } from '../../packages/server/src/storage.ts'
import { serviceDatabase } from './postgres.ts'

/** The service in this process, composed as `npm start` does, for figures that compare it with a part of itself. */
export interface ServiceInProcess extends AsyncDisposable {
  app: App
  url: string
  apiKey: string
  /** The database bound to the project `default`. */
  db: ProjectDb
}

export async function startServiceInProcess(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<ServiceInProcess> {
  const apiKey = `mortise_bench_${randomBytes(16).toString('hex')}`
  const log = createLogger({ level: 'warn' })
  const server = await serviceDatabase(dataDir, env)
  const storage = await openStorage(
    readConfig({
      PORT: '0',
      MORTISE_DATA_DIR: join(dataDir, 'mortise'),
      MORTISE_BOOTSTRAP_API_KEY: apiKey,
      MORTISE_DELIVERY_RATE: '0',
      ...server.env,
    }),
    log,
  )
  const { config, database, keyring } = storage
  const { projectId } = await bootstrap({
    database,
    keyring,
    dataDir: config.dataDir,
    bootstrapApiKey: apiKey,
    newKey: false,
  })
  const app = await createApp({ config, database, keyring, log })
  const { url } = await app.start()
  return {
    app,
    url,
    apiKey,
    db: database.forProject(projectId),
    async [Symbol.asyncDispose]() {
      await app.stop()
      await storage.close()
      await server.stop()
    },
  }
}
