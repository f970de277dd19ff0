import type { Socket } from 'node:net'
import type { Connection as CallbackConnection, QueryError } from 'mysql2'
import type { Connection } from 'mysql2/promise'
import { asOutboundError, OutboundError, openGuardedSocket, shownHost } from '../../../../kernel/net/index.ts'
import type { KindServices } from '../kind.ts'
import { type MysqlSettings, targetOf } from './settings.ts'

/** What differs between servers. */
export interface ServerTraits {
  /** A collation that compares bytes, with trailing spaces where the server has such a one. */
  binaryCollation: string
  /** Maximum size of a statement with its values. */
  packetBytesMax: number
}

export interface MysqlConnection {
  client: Connection
  traits: ServerTraits
  /** Why the connection ended; undefined while it is open. */
  ended(): OutboundError | undefined
  /** Ends it immediately: statements without an answer fail. */
  end(reason: OutboundError): void
}

export type ServerError = QueryError & { errno: number; sqlState: string }

/** Bytes that a server may send for one batch: enough for every error and the columns of every table. */
const answerBytesMax = 16 * 2 ** 20
const watchMs = 100

/**
 * What the session of a server must have: times in UTC, an error for a value that does not fit, quotes and escapes as
 * in standard installations, and no long wait for a lock.
 */
const session = [
  "time_zone = '+00:00'",
  "sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
  'autocommit = 1',
  'lock_wait_timeout = 10',
  'innodb_lock_wait_timeout = 10',
]

/**
 * Opens a connection behind the address guard. The client gets the open socket: it starts TLS on it, and resolves no
 * name.
 *
 * @throws OutboundError, and ServerError if the server refuses
 */
export async function connectMysql(
  settings: MysqlSettings,
  { guard, names, project }: Pick<KindServices, 'guard' | 'names' | 'project'>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<MysqlConnection> {
  // Loaded with the first connection: most services have no destination of this kind.
  const { default: library } = await import('mysql2')
  const { host, port, tls, user, password, database } = targetOf(settings)
  const shown = shownHost(host, port)
  const socket = await openGuardedSocket({
    ...{ host, port, guard, names, project, timeoutMs, signal },
    tls: tls ? 'later' : false,
  })
  let ended: OutboundError | undefined
  const end = (reason: OutboundError) => {
    ended ??= reason
    socket.destroy()
  }
  socket.on('error', (error) => end(asOutboundError(error, shown)))
  const core = library.createConnection({
    ...{ host, port, user, password, database },
    stream: socket,
    ...(tls && {
      ssl: {
        verifyIdentity: true,
        rejectUnauthorized: true,
        ...(settings.caCertificate !== undefined && { ca: settings.caCertificate }),
      },
    }),
    connectTimeout: timeoutMs,
    charset: 'utf8mb4_general_ci',
    // No file of this machine, however the server asks, and no code made of the names of its columns.
    flags: ['-LOCAL_FILES'],
    disableEval: true,
    maxPreparedStatements: 64,
    jsonStrings: true,
    dateStrings: true,
  })
  refuseDisorder(core, () => end(new OutboundError('protocol', `${shown} does not answer like a MySQL.`)))
  core.on('error', (error) => end(failureAsOutbound(error, shown)))
  const watch = watchBytes(socket, core, () =>
    end(new OutboundError('too_large', `${shown} answered with too many bytes.`)),
  )
  socket.once('close', () => {
    watch.stop()
    end(new OutboundError('connect', `${shown} closed the connection.`))
  })
  const client = core.promise()
  try {
    await client.connect()
    await client.query(`set ${session.map((variable) => `session ${variable}`).join(', ')}`)
    return {
      ...{ client, end, traits: await traitsOf(client) },
      ended: () => {
        watch.restart()
        return ended
      },
    }
  } catch (error) {
    const failure = failureOf(error, ended, shown)
    end(new OutboundError('connect', `${shown} refused the connection.`))
    throw failure
  }
}

async function traitsOf(client: Connection): Promise<ServerTraits> {
  const [rows] = await client.query(
    `select @@max_allowed_packet as packet, collation_name as name from information_schema.collations
      where collation_name in ('utf8mb4_0900_bin', 'utf8mb4_nopad_bin', 'utf8mb4_bin')`,
  )
  const found = rows as { packet: number; name: string }[]
  const known = new Set(found.map(({ name }) => name))
  const binaryCollation = ['utf8mb4_0900_bin', 'utf8mb4_nopad_bin'].find((name) => known.has(name)) ?? 'utf8mb4_bin'
  return { binaryCollation, packetBytesMax: Number(found[0]?.packet ?? 2 ** 20) }
}

interface Packets {
  sequenceId: number
  stream: Socket
  handlePacket(packet?: { sequenceId: number }): void
}

/** The library continues after a packet that is out of order, with a line on the console. */
function refuseDisorder(core: CallbackConnection, refuse: () => void): void {
  const packets = core as CallbackConnection & Packets
  const handle = packets.handlePacket.bind(packets)
  packets.handlePacket = (packet) => {
    if (packet !== undefined && packet.sequenceId !== packets.sequenceId) return refuse()
    try {
      return handle(packet)
    } catch {
      // A packet that is shorter than it says would end the process.
      return refuse()
    }
  }
}

/** With TLS, the client reads from another socket than the one that was opened, so bytes are counted in intervals. */
function watchBytes(socket: Socket, core: CallbackConnection, exceeded: () => void) {
  const { stream } = core as CallbackConnection & Packets
  const bytesRead = () => Math.max(socket.bytesRead, stream.bytesRead)
  let from = 0
  const timer = setInterval(() => {
    if (bytesRead() - from > answerBytesMax) exceeded()
  }, watchMs)
  timer.unref()
  return {
    restart: () => {
      from = bytesRead()
    },
    stop: () => clearInterval(timer),
  }
}

/** Whether an error is an answer of the server, with its number. */
export function isServerError(error: unknown): error is ServerError {
  return (
    error instanceof Error &&
    'errno' in error &&
    typeof error.errno === 'number' &&
    error.errno >= 1000 &&
    'sqlState' in error &&
    typeof error.sqlState === 'string'
  )
}

/** The error of the server for a statement that is too large. It would also close the connection, so others fail. */
export function packetTooLarge(bytesMax: number): Error & { errno: number; sqlState: string } {
  const error = new Error(`Got a packet bigger than 'max_allowed_packet' bytes (${bytesMax})`)
  return Object.assign(error, { errno: 1153, sqlState: '08S01' })
}

/** The reason why a connection ended counts for more than what the client says of it. */
export function failureOf(
  error: unknown,
  ended: OutboundError | undefined,
  shown: string,
): ServerError | OutboundError {
  if (isServerError(error)) return error
  return ended ?? failureAsOutbound(error, shown)
}

const clientErrors: Record<string, string> = {
  HANDSHAKE_NO_SSL_SUPPORT: 'does not accept TLS',
  HANDSHAKE_SSL_ERROR: 'has a certificate that is not trusted',
  AUTH_SWITCH_PLUGIN_ERROR: 'uses a sign-in that is not supported',
  PROTOCOL_CONNECTION_LOST: 'closed the connection',
}

function failureAsOutbound(error: unknown, shown: string): OutboundError {
  if (error instanceof OutboundError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = clientErrors[code]
  if (reason !== undefined) {
    const kind = code.startsWith('HANDSHAKE') ? 'tls' : 'connect'
    return new OutboundError(kind, `${shown} ${reason}.`, { cause: error })
  }
  const known = asOutboundError(error, shown)
  return known.kind === 'connect'
    ? new OutboundError('protocol', `${shown} does not answer like a MySQL.`, { cause: error })
    : known
}
