import type { Socket } from 'node:net'
import pg from 'pg'
import { within } from './embedded/within.ts'

/**
 * Finds connections whose other end fell silent without closing: packets go nowhere, and whoever waits for an answer
 * would wait until TCP gives up, after a quarter of an hour. Neither a time limit nor keepalive does it. A limit for
 * each statement would cut off those that may run long, costs a timer for each, and leaves the connection busy in its
 * pool. Keepalive, which is on, looks only after connections that wait for nothing: Linux sends none while something is
 * unacknowledged.
 *
 * So a tick looks at what has flowed. Where a statement waits and nothing did for `silenceMs`, the server is asked, on
 * a new connection, whether it is still at it. If it is, the statement goes on. If the server waits for us, knows of no
 * such session, or cannot be reached, the connection is cut: its statement rejects as unreachable, and its pool
 * replaces it. A statement costs nothing by this; all that is done for it is done by the tick.
 */
export interface SilenceWatch {
  /** Watches a connection that is open, until it ends. */
  add(client: pg.ClientBase, kind: WatchedKind): void
  /** Ends the watch, and cuts what has not ended by then. */
  stop(): void
}

/**
 * `bounded` has a `statement_timeout` of a minute; `unbounded` may have statements that run for hours; `listening` is
 * bounded and waits for notifications: it is asked for a sign of life where nothing came for a while.
 */
export type WatchedKind = 'bounded' | 'unbounded' | 'listening'

export interface SilenceWatchOptions {
  /** How long nothing may flow before the server is asked, and how long it has to answer then. */
  silenceMs: number
  /** How to reach the server as the login itself: only it may see what all of its sessions do. */
  login: pg.ClientConfig
}

/**
 * Ticks in `silenceMs`. They are counted, not timed: a process that stood still has not read what was sent meanwhile.
 */
const ticksMax = 8
const pingTicks = 4
/**
 * Where the server cannot tell, a statement that has outlived its `statement_timeout` of 60 s by this is one that is
 * not answered.
 */
const outlivedMs = 75_000

/** What the driver has and its types do not name. */
interface Wired extends pg.ClientBase {
  connection: { stream: Socket }
  readyForQuery: boolean
  processID: number
}

interface Watched {
  kind: WatchedKind
  flowed: number
  quietTicks: number
  askAtTick: number
  /** Cut at the next tick, unless something flows: what the server has sent may still be on its way. */
  condemned: boolean
}

type Verdict = 'at it' | 'broken' | 'unknown'

export function startSilenceWatch({ silenceMs, login }: SilenceWatchOptions): SilenceWatch {
  const watched = new Map<Wired, Watched>()
  const tickMs = Math.ceil(silenceMs / ticksMax)
  let asking = false

  function tick() {
    const suspects = new Map<Wired, Watched>()
    for (const [client, state] of watched) {
      const { stream } = client.connection
      const flowed = flowedThrough(stream)
      // After its goodbye it waits for the other end to hang up, and whoever ends the service for both.
      const waits = !client.readyForQuery || stream.writableEnded
      if (flowed !== state.flowed) rest(state, flowed)
      else if (waits && state.condemned) stream.destroy(silent())
      else if (waits && ++state.quietTicks >= state.askAtTick) suspects.set(client, state)
      else if (!waits && state.kind === 'listening' && ++state.quietTicks >= pingTicks) {
        state.quietTicks = 0
        client.query('select 1').catch(() => undefined)
      } else if (!waits && state.kind !== 'listening') rest(state, flowed)
    }
    if (suspects.size > 0 && !asking) void ask(suspects)
  }

  async function ask(suspects: Map<Wired, Watched>) {
    asking = true
    const verdicts = await askServer(login, silenceMs, [...suspects.keys()])
    asking = false
    // Where nobody answers, it is the same for those that have become suspect meanwhile.
    const concerned = verdicts === away ? [...watched].filter(([, { quietTicks }]) => quietTicks >= ticksMax) : suspects
    for (const [client, state] of concerned) {
      const outlived = state.kind !== 'unbounded' && state.quietTicks * tickMs > outlivedMs
      const verdict = verdicts(client)
      const isQuiet = flowedThrough(client.connection.stream) === state.flowed
      state.condemned = isQuiet && (verdict === 'broken' || (verdict === 'unknown' && outlived))
      state.askAtTick = state.quietTicks + ticksMax
    }
  }

  const ticking = setInterval(tick, tickMs).unref()
  return {
    add(given, kind) {
      const client = given as Wired
      const { stream } = client.connection
      watched.set(client, {
        kind,
        flowed: flowedThrough(stream),
        quietTicks: 0,
        askAtTick: ticksMax,
        condemned: false,
      })
      stream.once('close', () => watched.delete(client))
    },
    stop() {
      clearInterval(ticking)
      for (const { connection } of watched.keys()) connection.stream.destroy()
    },
  }
}

function rest(state: Watched, flowed: number) {
  state.flowed = flowed
  state.quietTicks = 0
  state.askAtTick = ticksMax
  state.condemned = false
}

/** Bytes that came, and that the system took to send. */
const flowedThrough = (stream: Socket) => stream.bytesRead + stream.bytesWritten - stream.writableLength

/** As the system would say it, had it noticed. */
const silent = () => Object.assign(new Error('the database has fallen silent'), { code: 'ETIMEDOUT', syscall: 'read' })

/** Nobody answers. */
const away = (): Verdict => 'broken'

/** Asks on a connection of its own what the server does for others. Never throws. */
async function askServer(
  login: pg.ClientConfig,
  limitMs: number,
  clients: Wired[],
): Promise<(client: Wired) => Verdict> {
  const asker = new pg.Client({ ...login, connectionTimeoutMillis: limitMs }) as pg.Client & Wired
  asker.on('error', () => undefined)
  const answer = async () => {
    await asker.connect()
    return asker.query<{ pid: number; own: boolean; told: boolean; busy: boolean }>(
      `select pid, pid = pg_backend_pid() as own, coalesce(state <> 'disabled', false) as told,
              coalesce(state = 'active' and wait_event is distinct from 'ClientWrite', false) as busy
         from pg_stat_activity where pid = any($1) or pid = pg_backend_pid()`,
      [clients.map(({ processID }) => processID)],
    )
  }
  try {
    const told = await within(limitMs, answer())
    if (!told) return away
    const sessions = new Map(told.rows.map((row) => [row.pid, row]))
    // Behind a pooler sessions have other numbers than it says.
    if (!sessions.get(asker.processID)?.own) return () => 'unknown'
    return ({ processID }) => {
      const session = sessions.get(processID)
      if (!session) return 'broken'
      if (!session.told) return 'unknown'
      return session.busy ? 'at it' : 'broken'
    }
  } catch (error) {
    // A server that refuses is there: it has no connection left, or is about to end and lets statements end first.
    return error instanceof pg.DatabaseError ? () => 'unknown' : away
  } finally {
    asker.connection.stream.destroy()
  }
}
