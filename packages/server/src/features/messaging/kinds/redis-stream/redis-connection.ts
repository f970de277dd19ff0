import type { Socket } from 'node:net'
import type { Redis } from 'ioredis'
import { asOutboundError, OutboundError, openGuardedSocket, shownHost } from '../../../../kernel/net/index.ts'
import type { KindServices } from '../kind.ts'
import type { RedisTarget } from './settings.ts'

/** The reply to a command, or the error that the server replied with or the connection ended with. */
export type Reply = { value: unknown } | { error: Error }

export interface RedisConnection {
  /**
   * Sends commands together, and resolves with a reply to each, in their order. Never rejects.
   *
   * @param commands the name of each in lower case
   */
  run(commands: readonly (string | Buffer | number)[][]): Promise<Reply[]>
  /** Why the connection ended; undefined while it is open. */
  ended(): OutboundError | undefined
  /** Ends it immediately: commands without a reply fail. */
  end(reason: OutboundError): void
}

/** Bytes of replies to one batch at most: an id is 20, and an error at most a few hundred. */
const replyBytesMax = 256 * 1024

/**
 * Opens a connection behind the address guard. ioredis gets the open socket: it writes commands and reads replies, and
 * neither resolves names, nor connects, nor authenticates, nor connects again.
 *
 * @throws OutboundError
 */
export async function connectRedis(
  target: RedisTarget,
  { guard, names, project }: Pick<KindServices, 'guard' | 'names' | 'project'>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<RedisConnection> {
  // Loaded with the first connection: most services have no destination of this kind.
  const library = await import('ioredis')
  const { host, port, tls } = target
  const shown = shownHost(host, port)
  const socket = await openGuardedSocket({ host, port, tls, guard, names, project, timeoutMs, signal })
  let ended: OutboundError | undefined
  let replyBytes = 0
  const redis = clientOn(library, socket)
  const end = (reason: OutboundError) => {
    ended ??= reason
    redis.disconnect()
    socket.destroy()
  }
  socket.on('error', (error) => end(asOutboundError(error, shown)))
  socket.once('close', () => end(new OutboundError('connect', `${shown} closed the connection.`)))
  // The client resumes the socket when it is ready to read.
  socket.pause()
  socket.on('data', (chunk: Buffer) => {
    replyBytes += chunk.length
    if (replyBytes > replyBytesMax) end(new OutboundError('too_large', `${shown} answered with too many bytes.`))
  })
  // The server sent something that is not its protocol.
  redis.on('error', () => end(new OutboundError('protocol', `${shown} does not answer like a Redis.`)))
  await redis.connect().catch(() => end(new OutboundError('connect', `${shown} closed the connection.`)))
  if (ended) throw ended
  return {
    end,
    ended: () => ended,
    async run(commands) {
      replyBytes = 0
      const replies = await redis.pipeline(commands.map((command) => [...command])).exec()
      const isCut = replies?.some(([error]) => error !== null && error.name !== 'ReplyError') ?? true
      if (isCut) end(new OutboundError('connect', `${shown} closed the connection.`))
      return (replies ?? []).map(([error, value]) => (error ? { error } : { value }))
    },
  }
}

function clientOn(
  { AbstractConnector, Redis }: Pick<typeof import('ioredis'), 'AbstractConnector' | 'Redis'>,
  socket: Socket,
): Redis {
  class OpenSocket extends AbstractConnector {
    constructor() {
      super(0)
    }
    override connect(): Promise<Socket> {
      this.stream = socket
      return Promise.resolve(socket)
    }
  }
  return new Redis({
    Connector: OpenSocket,
    lazyConnect: true,
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  })
}
