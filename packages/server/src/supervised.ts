import process from 'node:process'
import type { Config } from './config.ts'
import type { KeptPostgres } from './kernel/db/embedded/keep-embedded.ts'
import { joinProcessGroup, type ProcessGroup } from './kernel/processes/index.ts'
import { createLogger } from './kernel/telemetry/logger.ts'
import { poolShare } from './pool-share.ts'

/** What the supervisor passes to a process of the service, in its environment. */
export interface Supervised {
  /** Number of the process, from 1. */
  number: number
  count: number
  /** Whether this is the first process of a start: it prints what runs where. */
  isFirst: boolean
  /** Create an additional API key. */
  newKey: boolean
  /** Whether the supervisor runs the embedded PostgreSQL. */
  isEmbedded: boolean
}

/** Address of the embedded PostgreSQL. */
export type EmbeddedAddress = Pick<KeptPostgres, 'host' | 'port' | 'dataDir'>

/** Topics between a process and its supervisor, number 0. */
export const supervisorTopics = { embedded: 'supervisor.embedded', ready: 'supervisor.ready' }
export const supervisorNumber = 0

const variable = 'MORTISE_PROCESS'

/** The environment of a process of the service. */
export const supervisedEnv = (supervised: Supervised) => ({ [variable]: JSON.stringify(supervised) })

/** Returns what a supervisor has passed to this process; undefined when it runs alone. */
export function findSupervised(env: Record<string, string | undefined>): Supervised | undefined {
  const text = env[variable]
  return text === undefined || process.send === undefined ? undefined : JSON.parse(text)
}

/** Runs one of several processes of the service. It ends with its supervisor, like every process of `node:cluster`. */
export async function serveSupervised(config: Config, supervised: Supervised): Promise<void> {
  const log = createLogger({ level: config.logLevel, process: supervised.number })
  const group = joinProcessGroup(supervised, process)
  const embedded = supervised.isEmbedded ? embeddedOf(group) : undefined
  const { serve } = await import('./serve.ts')
  await serve({
    config: { ...config, databasePoolSize: poolShare(config.databasePoolSize, supervised.count) },
    log,
    embedded,
    newKey: supervised.newKey,
    group,
    quiet: !supervised.isFirst,
  })
  group.send(supervisorTopics.ready, {}, supervisorNumber)
}

/** Asks the supervisor for its PostgreSQL, which may still be starting. Only the supervisor stops it. */
async function embeddedOf(group: ProcessGroup): Promise<KeptPostgres> {
  const address = await new Promise<EmbeddedAddress>((resolve) => {
    group.follow(supervisorTopics.embedded, (message) => resolve(message as EmbeddedAddress))
    group.send(supervisorTopics.embedded, {}, supervisorNumber)
  })
  return { ...address, lost: new Promise(() => undefined), stop: async () => undefined }
}
