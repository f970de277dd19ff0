import { pid } from 'node:process'
import type { Config } from '../config.ts'
import { findRunning, hasEmbedded } from '../kernel/db/embedded/find-running.ts'
import { startEmbedded } from '../kernel/db/embedded/start-embedded.ts'
import { type DatabaseAddress, type OwnerSession, openOwnerSession, provision } from '../kernel/db/index.ts'
import { DatabaseUnusable } from '../storage.ts'
import { BackupRefused } from './problems.ts'

/** A database that was reached, however it runs. */
export interface Reached extends OwnerSession {
  address: DatabaseAddress
  /** The embedded one's folder, `DATABASE_DIRECT_URL` or `DATABASE_URL`. */
  where: string
}

type DatabaseSettings = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>

/** One transaction holds a lock on every partition and each of its indexes: room for some years of days. */
const locks = '1024'

const applicationName = `mortise-backup-${pid}`

/** The database to back up: an embedded one is used as it runs, or started for as long as it takes. */
export async function reachExisting(settings: DatabaseSettings): Promise<Reached> {
  const { databaseUrl, dataDir } = settings
  if (databaseUrl !== undefined) return await reachUrl(databaseUrl, settings)
  if (!(await hasEmbedded(dataDir)))
    throw new BackupRefused(
      `There is no database in ${dataDir}. Name its folder with --data-dir (MORTISE_DATA_DIR), or its server with --database-url (DATABASE_URL).`,
    )
  const running = await findRunning(dataDir)
  if (!running) return await reachEmbedded(dataDir)
  const address = await provision(running)
  return { ...(await openOwnerSession(address, applicationName)), address, where: dataDir }
}

/** The database to restore into: a server at a URL, or an embedded one that nobody else runs. */
export async function reachUnused(settings: DatabaseSettings): Promise<Reached> {
  const { databaseUrl, dataDir } = settings
  return databaseUrl === undefined ? await reachEmbedded(dataDir) : await reachUrl(databaseUrl, settings)
}

/** One session does it all, so a pooler has to be avoided. */
async function reachUrl(databaseUrl: string, { databaseDirectUrl }: DatabaseSettings): Promise<Reached> {
  const address = { url: databaseDirectUrl ?? databaseUrl }
  const session = await openOwnerSession(address, applicationName).catch((error: unknown) => {
    throw new DatabaseUnusable(error)
  })
  return { ...session, address, where: databaseDirectUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL' }
}

async function reachEmbedded(dataDir: string): Promise<Reached> {
  const server = await startEmbedded({ homeDir: dataDir, settings: { max_locks_per_transaction: locks } })
  try {
    const address = await provision(server)
    const session = await openOwnerSession(address, applicationName)
    const close = async () => {
      await session.close()
      await server.stop()
    }
    return { ...session, address, where: dataDir, close }
  } catch (error) {
    await server.stop()
    throw error
  }
}
