import type { Config } from './config.ts'
import { type KeptPostgres, keepEmbedded } from './kernel/db/embedded/keep-embedded.ts'
import type { Logger } from './kernel/telemetry/index.ts'
import { poolShare } from './pool-share.ts'

type EmbeddedConfig = Pick<Config, 'dataDir' | 'processes' | 'databasePoolSize'>

/** Starts the embedded PostgreSQL, and logs what happens to it. */
export function startEmbeddedServer(config: EmbeddedConfig, log: Logger): Promise<KeptPostgres> {
  return keepEmbedded({
    homeDir: config.dataDir,
    settings: { max_connections: String(connectionsMax(config)) },
    log: (line) => log.debug({ line }, 'postgres'),
    ended: (lines) => log.error({ lines }, 'the embedded PostgreSQL stopped or failed to start; restarting it'),
    startedAgain: () => log.info('restarted the embedded PostgreSQL'),
  })
}

/** Connections that the server accepts at least, and those for backups, the command line and people. */
const connectionsMin = 100
const spareConnections = 20

/** Returns the number of connections that all processes may open together, and some more. */
export function connectionsMax({ processes, databasePoolSize }: Omit<EmbeddedConfig, 'dataDir'>): number {
  const pool = poolShare(databasePoolSize, processes)
  // The three pools of `openDatabase`, and those that listen, watch and migrate.
  const ofProcess = pool + 2 * Math.max(2, Math.ceil(pool / 2)) + 4
  return Math.max(connectionsMin, processes * ofProcess + spareConnections)
}
