import type { Kysely } from 'kysely'
import { newId, type Tables } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import type { ProviderEventOutcome, ReceivedEvents } from './model.ts'
import { insertProviderEvents, type NewProviderEvent } from './store.ts'

/** How long entries wait in memory. A process that dies loses at most these. */
const storeEveryMs = 1_000
const minuteMs = 60_000
/**
 * Entries of one URL in a minute: of requests with a valid signature, and of refused ones, which anybody can send. All
 * that follow in this minute share one entry for each outcome.
 */
const genuineOfMinute = 60
const refusedOfMinute = 10
const genuine: readonly ProviderEventOutcome[] = ['accepted', 'handshake', 'duplicate', 'dropped']
/** URLs of one minute. Requests to further ones leave no entry: only an attack has so many. */
const urlsMax = 10_000
const rowsPerStatement = 1_000

/**
 * Logs what providers send. Requests wait for nothing: entries are stored together, in one statement a second. What is
 * stored is limited, because anybody can send requests to a public URL.
 */
export interface ProviderEventLog {
  add(received: ReceivedEvents): void
  /** Stores what waits, also the entries that stand for many requests. */
  flush(): Promise<void>
  /** Stores what waits, and stops the timer. */
  stop(): Promise<void>
}

/** The requests to one URL in the current minute. */
interface Url {
  genuine: number
  refused: number
  /** What is beyond the limit, by outcome. */
  rest: Map<string, NewProviderEvent>
}

export function createProviderEventLog({
  database,
  log,
  now,
  stored,
}: {
  database: { system: Kysely<Tables> }
  log: Pick<Logger, 'warn'>
  now: () => Date
  /** Called for each project and installation with new entries. */
  stored: (of: { projectId: string; installationId: string | null }) => void
}): ProviderEventLog {
  let minute = 0
  let urls = new Map<string, Url>()
  let waiting: NewProviderEvent[] = []
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> | undefined
  let isStopped = false

  /** Begins another minute: what is beyond the limit of the last one waits to be stored. */
  function begin(next: number): void {
    for (const { rest } of urls.values()) waiting.push(...rest.values())
    urls = new Map()
    minute = next
  }

  async function store(): Promise<void> {
    const rows = waiting
    waiting = []
    for (let from = 0; from < rows.length; from += rowsPerStatement) {
      try {
        const of = await insertProviderEvents(database.system, rows.slice(from, from + rowsPerStatement))
        for (const one of new Map(of.map((row) => [`${row.projectId} ${row.installationId}`, row])).values())
          stored(one)
      } catch (error) {
        log.warn({ err: error, entries: rows.length - from }, 'failed to store what providers sent')
        return
      }
    }
  }

  function run(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const current = Math.floor(now().getTime() / minuteMs)
    if (current !== minute) begin(current)
    storing = (storing ?? Promise.resolve()).then(store).finally(() => {
      if (waiting.length > 0 || [...urls.values()].some(({ rest }) => rest.size > 0)) schedule()
    })
    return storing
  }

  function schedule(): void {
    if (!isStopped) timer ??= setTimeout(() => void run(), storeEveryMs).unref()
  }

  async function flush(): Promise<void> {
    begin(minute)
    await run()
  }

  return {
    add(received) {
      const current = Math.floor(now().getTime() / minuteMs)
      if (current !== minute) begin(current)
      const { projectId, integrationId = '', installationId = '' } = received
      const key = `${projectId} ${integrationId} ${installationId}`
      let url = urls.get(key)
      if (!url) {
        if (urls.size >= urlsMax) return
        url = { genuine: 0, refused: 0, rest: new Map() }
        urls.set(key, url)
      }
      const [counter, most] = genuine.includes(received.outcome)
        ? (['genuine', genuineOfMinute] as const)
        : (['refused', refusedOfMinute] as const)
      if (url[counter] < most) {
        url[counter]++
        waiting.push({ id: newId(), ...received })
      } else addTo(url.rest, received)
      schedule()
    },
    flush,
    async stop() {
      isStopped = true
      await flush()
    },
  }
}

function addTo(rest: Map<string, NewProviderEvent>, received: ReceivedEvents): void {
  const known = rest.get(received.outcome)
  if (!known) {
    const { objectName: _, eventName: __, ...summed } = received
    rest.set(received.outcome, { id: newId(), ...summed })
    return
  }
  known.requests += received.requests
  known.events += received.events
  known.newEvents += received.newEvents
  known.bytes += received.bytes
}
