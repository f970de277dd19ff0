import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DataFolderInUse, DataFolderMissing, WrongPostgresMajor } from './errors.ts'
import { exists } from './place.ts'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from './start-embedded.ts'

/** An embedded PostgreSQL that is started again when it ends by itself, at the same address. */
export interface KeptPostgres extends Pick<EmbeddedPostgres, 'host' | 'port' | 'dataDir' | 'stop'> {
  /**
   * Resolves with the reason when it cannot be started any more, whatever happens: its data is gone, or another Mortise
   * has it.
   */
  lost: Promise<Error>
}

export interface KeepOptions extends EmbeddedOptions {
  /** Hears that it has ended, or could not be started yet, in its own words; it is tried again. */
  ended: (lastLines: string[]) => void
  /** Hears that it runs again. */
  startedAgain: () => void
}

const leastWaitMs = 1_000
const mostWaitMs = 10_000
const linesKept = 10

/**
 * Starts the embedded PostgreSQL, and starts it again however often it ends by itself. It does when its log cannot be
 * written: on a disk that is full it gives up, and so does every start until there is room again. Meanwhile whoever
 * asks it finds nobody at the socket.
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

  /** Waits and starts it until it runs. Answers why when that is over for good. */
  async function startAgain(): Promise<Error | undefined> {
    for (let waitMs = leastWaitMs; ; waitMs = Math.min(waitMs * 2, mostWaitMs)) {
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return
      // A start would make an empty one in its place.
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
      // One that was just being started is up only now.
      await kept
      if (isUp) await server.stop()
    },
  }
}

/**
 * What does not pass by itself. All else may: no room for a file, no memory for a process, PostgreSQL's own refusal to
 * start.
 */
function isFinal(error: unknown): boolean {
  return [DataFolderInUse, DataFolderMissing, WrongPostgresMajor].some((kind) => error instanceof kind)
}
