import type { Socket } from 'node:net'
import pg from 'pg'
import { within } from './embedded/within.ts'

/**
 * Finds connections whose other end fell silent without closing. Packets are lost, and a caller would wait until TCP
 * gives up after a quarter of an hour. Neither a time limit nor keepalive solves that. A limit for each statement would
 * abort long statements, costs a timer each, and leaves the connection busy in its pool. Keepalive, which is on, covers
 * only idle connections: Linux sends no probes while data is unacknowledged.
 *
 * Instead, a tick checks how many bytes have flowed. When a statement waits and nothing flowed for `silenceMs`, the
 * watch asks the server, on a new connection, whether it still executes the statement. If so, the statement continues.
 * If the server is idle, does not know the session, or is unreachable, the watch cuts the connection: its statement
 * rejects as unreachable, and its pool replaces it. The watch adds no cost to a statement; the tick does all work.
 */
export interface SilenceWatch {
  /** Watches an open connection until it ends. */
  add(client: pg.ClientBase, kind: WatchedKind): void
  /** Ends the watch and cuts all connections that are still open. */
  stop(): void
}

/**
 * `bounded` has a `statement_timeout` of a minute. `unbounded` may run statements for hours. `listening` is bounded and
 * waits for notifications; the watch probes it after some silence.
 */
export type WatchedKind = 'bounded' | 'unbounded' | 'listening'

export interface SilenceWatchOptions {
  /** How long nothing may flow before the watch asks the server, and how long the server has to respond. */
  silenceMs: number
  /** Connects to the server as the login: only the login sees what all of its sessions do. */
  login: pg.ClientConfig
  /** Whether a pooler is between, which responds for itself and lets statements wait for a connection to the server. */
  isPooled?: boolean
}

/**
 * Ticks in `silenceMs`. They are counted, not timed: a process that was suspended has not read what arrived meanwhile.
 */
const ticksMax = 8
const pingTicks = 4
/**
 * When the server's state is unknown, a bounded statement counts as lost after this silence. Its `statement_timeout` is
 * 60 s.
 */
const outlivedMs = 75_000

/** Properties of the driver that its types lack. */
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
  /** Cut at the next tick unless something flows: the server's response may still be on its way. */
  condemned: boolean
}

type Verdict = 'at it' | 'broken' | 'unknown'

export function startSilenceWatch({ silenceMs, login, isPooled = false }: SilenceWatchOptions): SilenceWatch {
  const watched = new Map<Wired, Watched>()
  const tickMs = Math.ceil(silenceMs / ticksMax)
  let asking = false

  function tick() {
    const suspects = new Map<Wired, Watched>()
    for (const [client, state] of watched) {
      const { stream } = client.connection
      const flowed = flowedThrough(stream)
      // After its terminate message the connection waits for the other end to close, and a stopping service waits for
      // both.
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
    const verdicts = await askServer({ login, silenceMs, isPooled }, [...suspects.keys()])
    asking = false
    // When the server does not respond, the verdict also covers connections that became suspect meanwhile.
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
    add(added, kind) {
      const client = added as Wired
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

/** Returns the bytes received, and the bytes that the operating system took to send. */
const flowedThrough = (stream: Socket) => stream.bytesRead + stream.bytesWritten - stream.writableLength

/** Returns the error that the operating system would report. */
const silent = () => Object.assign(new Error('the database has fallen silent'), { code: 'ETIMEDOUT', syscall: 'read' })

/** The server does not respond. */
const away = (): Verdict => 'broken'

/** Asks on a separate connection what the server does for the others. Never throws. */
async function askServer(
  { login, silenceMs: limitMs, isPooled }: SilenceWatchOptions,
  clients: Wired[],
): Promise<(client: Wired) => Verdict> {
  const asker = new pg.Client({ ...login, connectionTimeoutMillis: limitMs }) as pg.Client & Wired
  asker.on('error', () => undefined)
  let isConnected = false
  const answer = async () => {
    await asker.connect()
    isConnected = true
    return asker.query<{ pid: number; own: boolean; told: boolean; busy: boolean }>(
      `select pid, pid = pg_backend_pid() as own, coalesce(state <> 'disabled', false) as told,
              coalesce(state = 'active' and wait_event is distinct from 'ClientWrite', false) as busy
         from pg_stat_activity where pid = any($1) or pid = pg_backend_pid()`,
      [clients.map(({ processID }) => processID)],
    )
  }
  try {
    const told = await within(limitMs, answer())
    // A pooler that accepted the connection may have no connection to the server left, for this as for others.
    if (!told) return isPooled && isConnected ? () => 'unknown' : away
    const sessions = new Map(told.rows.map((row) => [row.pid, row]))
    // Behind a pooler, sessions have other process ids than the pooler reports.
    if (!sessions.get(asker.processID)?.own) return () => 'unknown'
    return ({ processID }) => {
      const session = sessions.get(processID)
      if (!session) return 'broken'
      if (!session.told) return 'unknown'
      return session.busy ? 'at it' : 'broken'
    }
  } catch (error) {
    // A server that refuses is alive: it has no free connection, or is shutting down and lets statements end first.
    return error instanceof pg.DatabaseError ? () => 'unknown' : away
  } finally {
    asker.connection.stream.destroy()
  }
}
