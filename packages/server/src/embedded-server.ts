import type { Config } from './config.ts'
import { type KeptPostgres, keepEmbedded } from './kernel/db/embedded/keep-embedded.ts'
import type { Logger } from './kernel/telemetry/index.ts'

/** Starts the embedded PostgreSQL, and logs what happens to it. */
export function startEmbeddedServer({ dataDir }: Pick<Config, 'dataDir'>, log: Logger): Promise<KeptPostgres> {
  return keepEmbedded({
    homeDir: dataDir,
    log: (line) => log.debug({ line }, 'postgres'),
    ended: (lines) => log.error({ lines }, 'the embedded PostgreSQL stopped or failed to start; restarting it'),
    startedAgain: () => log.info('restarted the embedded PostgreSQL'),
  })
}
