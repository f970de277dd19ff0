import type { Socket } from 'node:net'
import { isIP } from 'node:net'
import type { Client } from 'pg'
import { asOutboundError, OutboundError, openGuardedSocket, shownHost } from '../../../../kernel/net/index.ts'
import type { KindServices } from '../kind.ts'
import type { PostgresSettings } from './settings.ts'
import { targetOf } from './settings.ts'

export interface PostgresConnection {
  client: Client
  /** Why the connection ended; undefined while it is open. */
  ended(): OutboundError | undefined
  /** Ends it immediately: queries without an answer fail. */
  end(reason: OutboundError): void
}

/** Bytes that a server may send before it answers as PostgreSQL does: enough for every error and parameter. */
const answerBytesMax = 16 * 2 ** 20

/**
 * Opens a connection behind the address guard. The client gets the open socket: it starts TLS on it, and resolves no
 * name.
 *
 * @throws OutboundError, and DatabaseError of `pg` if the server refuses
 */
export async function connectPostgres(
  settings: PostgresSettings,
  { guard, names, project }: Pick<KindServices, 'guard' | 'names' | 'project'>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<PostgresConnection> {
  // Loaded with the first connection, although the service itself has it: this is another role.
  const { default: pg } = await import('pg')
  const { host, port, tls, user, password, database } = targetOf(settings)
  const shown = shownHost(host, port)
  const socket = await openGuardedSocket({
    ...{ host, port, guard, names, project, timeoutMs, signal },
    tls: tls ? 'later' : false,
  })
  let ended: OutboundError | undefined
  let bytes = 0
  const end = (reason: OutboundError) => {
    ended ??= reason
    socket.destroy()
  }
  socket.on('error', (error) => end(asOutboundError(error, shown)))
  socket.once('close', () => end(new OutboundError('connect', `${shown} closed the connection.`)))
  const client = new pg.Client({
    ...{ user, password, database },
    stream: () => connected(socket),
    ssl: tls && {
      ...(isIP(host) === 0 && { servername: host }),
      ...(settings.caCertificate !== undefined && { ca: settings.caCertificate }),
    },
    application_name: 'mortise',
    client_encoding: 'UTF8',
  })
  client.on('error', (error) => end(asOutboundError(error, shown)))
  try {
    await client.connect()
  } catch (error) {
    const reason = ended
    end(new OutboundError('connect', `${shown} refused the connection.`))
    throw failureOf(error, reason, shown)
  }
  // With TLS, another socket than the one that was opened.
  const { connection } = client as Client & { connection: { stream: Socket } }
  connection.stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > answerBytesMax) end(new OutboundError('too_large', `${shown} answered with too many bytes.`))
  })
  return {
    client,
    end,
    ended: () => {
      bytes = 0
      return ended
    },
  }
}

/** Whether an error is an answer of the server, with its code (PostgreSQL, appendix A). */
export function isServerError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === 'error' && 'severity' in error && 'code' in error
}

/** The reason why a connection ended counts for more than what the client says of it. */
export function failureOf(
  error: unknown,
  ended: OutboundError | undefined,
  shown: string,
): (Error & { code: string }) | OutboundError {
  if (isServerError(error) || error instanceof OutboundError) return error
  if (ended) return ended
  if (error instanceof Error && /does not support SSL|SSL/.test(error.message))
    return new OutboundError('tls', `${shown} does not accept TLS.`, { cause: error })
  const known = asOutboundError(error, shown)
  return known.kind === 'connect'
    ? new OutboundError('protocol', `${shown} does not answer like a PostgreSQL.`, { cause: error })
    : known
}

/** `pg` connects its socket, which is connected already. */
function connected(socket: Socket): Socket {
  socket.connect = () => {
    setImmediate(() => socket.emit('connect'))
    return socket
  }
  return socket
}
