import process from 'node:process'
import { createApp } from '../../../../app.ts'
import { readConfig } from '../../../../config.ts'
import { openDatabase } from '../../../../kernel/db/index.ts'
import { createKeyring } from '../../../../kernel/encryption/index.ts'
import { createLogger } from '../../../../kernel/telemetry/index.ts'

/**
 * A process of its own that uses connections, as another node does: started with `startTokenUser`, told over the
 * channel of a forked process what to use and how often, and free to be killed.
 */

/**
 * What it is told. `open`: connections are opened, so that nothing is left to look up. `use`: each is asked for its
 * credential at once.
 */
export interface Use {
  what: 'open' | 'use'
  projectId: string
  connectionIds: string[]
  times: number
}

/** What it says then: what was attached, how often, and how long each use took. */
export interface Used {
  attached: Record<string, number>
  failed: string[]
  tookMs: number[]
}

export interface TokenUserSettings {
  databaseUrl: string
  rootKey: string
  providersDir: string
  dataDir: string
}

async function serve(settings: TokenUserSettings): Promise<void> {
  const { databaseUrl, rootKey, providersDir, dataDir } = settings
  const config = readConfig({
    MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
    MORTISE_PROVIDERS_DIR: providersDir,
    MORTISE_DATA_DIR: dataDir,
    MORTISE_CACHE_DIR: process.env['MORTISE_CACHE_DIR'],
    MORTISE_ROLES: 'api',
  })
  const database = await openDatabase({
    address: { url: databaseUrl },
    poolSize: 8,
    applicationName: 'token-user',
    onError: () => undefined,
  })
  const app = await createApp({
    config,
    database,
    keyring: createKeyring({ active: Buffer.from(rootKey, 'base64') }),
    log: createLogger({ level: 'error' }),
  })
  const { connectionHandles } = app.services
  process.on('message', async ({ what, projectId, connectionIds, times }: Use) => {
    const used: Used = { attached: {}, failed: [], tookMs: [] }
    const handles = await Promise.all(connectionIds.map((id) => connectionHandles.open(projectId, id)))
    const useOne = async (handle: (typeof handles)[number]) => {
      const start = performance.now()
      try {
        const { headers } = await handle.authenticate()
        const token = headers['authorization'] ?? ''
        used.attached[token] = (used.attached[token] ?? 0) + 1
      } catch (error) {
        used.failed.push(String(error))
      }
      used.tookMs.push(performance.now() - start)
    }
    if (what === 'use')
      await Promise.all(handles.flatMap((handle) => Array.from({ length: times }, () => useOne(handle))))
    process.send?.(used)
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.('ready')
}

const given = process.argv[2]
if (import.meta.main && given !== undefined) await serve(JSON.parse(given) as TokenUserSettings)
