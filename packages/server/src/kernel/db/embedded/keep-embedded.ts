import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DataFolderInUse, DataFolderMissing, WrongPostgresMajor } from './errors.ts'
import { exists } from './place.ts'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from './start-embedded.ts'

/** An embedded PostgreSQL that Mortise restarts at the same address after an unexpected exit. */
export interface KeptPostgres extends Pick<EmbeddedPostgres, 'host' | 'port' | 'dataDir' | 'stop'> {
  /** Resolves with the reason when a restart cannot succeed: the data no longer exists, or another Mortise uses it. */
  lost: Promise<Error>
}

export interface KeepOptions extends EmbeddedOptions {
  /** Called with PostgreSQL's last log lines after it ended or failed to start. Mortise tries again. */
  ended: (lastLines: string[]) => void
  /** Called when it runs again. */
  startedAgain: () => void
}

const leastWaitMs = 1_000
const mostWaitMs = 10_000
const linesKept = 10

/**
 * Starts the embedded PostgreSQL and restarts it after every unexpected exit. It exits when it cannot write its log: on
 * a full disk, and every start fails until there is space. Meanwhile connections to the socket are refused.
 *
 * @throws as `startEmbedded` does, when the first start fails
 */
export async function keepEmbedded({ ended, startedAgain, ...options }: KeepOptions): Promise<KeptPostgres> {
  const lastLines: string[] = []
  const log = (line: string) => {
    lastLines.push(line)
    if (lastLines.length > linesKept) lastLines.shift()
    options.log?.(line)
  }
  const start = () => startEmbedded({ ...options, log })
  const stopping = new AbortController()
  let server = await start()
  let isUp = true
  const { host, port, dataDir } = server

  /** Waits and starts it until it runs. Returns the reason when no restart can succeed. */
  async function startAgain(): Promise<Error | undefined> {
    for (let waitMs = leastWaitMs; ; waitMs = Math.min(waitMs * 2, mostWaitMs)) {
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return
      // A start would create an empty database in its place.
      if (!(await exists(path.join(dataDir, 'PG_VERSION')))) return new Error(`the data at ${dataDir} no longer exists`)
      try {
        server = await start()
        isUp = true
        return
      } catch (error) {
        if (isFinal(error)) return error as Error
        ended(lastLines.splice(0))
      }
    }
  }

  async function keep(): Promise<Error | undefined> {
    while (!stopping.signal.aborted) {
      await server.exited
      isUp = false
      if (stopping.signal.aborted) return
      ended(lastLines.splice(0))
      const lost = await startAgain()
      if (lost) return lost
      if (isUp) startedAgain()
    }
    return
  }
  const kept = keep()
  return {
    host,
    port,
    dataDir,
    lost: new Promise((resolve) => void kept.then((error) => error && resolve(error), resolve)),
    async stop() {
      stopping.abort()
      if (isUp) await server.stop()
      // A start that was in progress completes only now.
      await kept
      if (isUp) await server.stop()
    },
  }
}

/**
 * Returns whether an error is permanent. All others may pass: no space for a file, no memory for a process,
 * PostgreSQL's own refusal to start.
 */
function isFinal(error: unknown): boolean {
  return [DataFolderInUse, DataFolderMissing, WrongPostgresMajor].some((kind) => error instanceof kind)
}
