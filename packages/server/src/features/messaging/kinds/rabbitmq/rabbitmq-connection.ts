import type { Socket } from 'node:net'
import type { ChannelModel, ConfirmChannel, Options } from 'amqplib'
import { asOutboundError, guardDial, OutboundError, shownHost } from '../../../../kernel/net/index.ts'
import type { KindServices } from '../kind.ts'
import { type RabbitmqSettings, targetOf } from './settings.ts'

export interface Publication {
  exchange: string
  routingKey: string
  body: Buffer
  options: Options.Publish & { messageId: string }
}

/** What the server said about a message: it took it, no queue wanted it, it did not take it, or nothing. */
export type Confirmation = 'taken' | 'returned' | 'rejected' | 'unconfirmed'

export interface RabbitmqConnection {
  /** Publishes messages, and resolves with a confirmation of each, in their order. Never rejects. */
  publish(publications: readonly Publication[]): Promise<Confirmation[]>
  /** The error that the server closed the channel or the connection with. */
  refusal(): Error | undefined
  /** Why the connection ended; undefined while it is open. */
  ended(): OutboundError | undefined
  /** Ends it immediately: messages without a confirmation are not confirmed. */
  end(reason: OutboundError): void
}

/** Bytes of answers to one batch at most, besides the messages that come back. */
const answerBytesMax = 2 ** 20
const heartbeatSeconds = 30

/**
 * Opens a connection and a channel with confirmations, behind the address guard.
 *
 * @throws OutboundError, and the error of the client if the server refuses
 */
export async function connectRabbitmq(
  settings: RabbitmqSettings,
  { guard, names, project }: Pick<KindServices, 'guard' | 'names' | 'project'>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<RabbitmqConnection> {
  // Loaded with the first connection: most services have no destination of this kind.
  const { connect } = await import('amqplib')
  const { host, port, tls, virtualHost } = targetOf(settings)
  const shown = shownHost(host, port)
  const ending = new AbortController()
  const state: { ended?: OutboundError; refusal?: Error } = {}
  const end = (reason: OutboundError) => {
    state.ended ??= reason
    ending.abort(reason)
  }
  const onAbort = () => end(new OutboundError('aborted', `The connection to ${shown} was canceled.`))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const dial = await guardDial({ host, port, tls, guard, names, project, timeoutMs, signal })
    const { username, password, caCertificate } = settings
    // The client passes these to the socket. Its types do not know the signal.
    const options = {
      ...dial,
      signal: ending.signal,
      noDelay: true,
      ...(caCertificate !== undefined && { ca: caCertificate }),
    }
    const model = await connect(
      {
        ...{ protocol: tls ? 'amqps' : 'amqp', hostname: host, port, vhost: virtualHost, username, password },
        heartbeat: heartbeatSeconds,
      },
      options,
    )
    const close = closing(model, shown, end, (error) => {
      state.refusal ??= error
    })
    const channel = await model.createConfirmChannel()
    channel.on('error', (error) => {
      state.refusal ??= error
    })
    channel.once('close', close)
    const limit = limitAnswers(model, shown, end)
    return {
      end,
      refusal: () => state.refusal,
      ended: () => state.ended,
      publish: (publications) => {
        limit(answerBytesMax + publications.reduce((sum, { body }) => sum + body.length + 4_096, 0))
        return publishAll(channel, publications)
      },
    }
  } catch (error) {
    const failure = signal.aborted ? (state.ended ?? error) : failureOf(error, state, shown)
    end(new OutboundError('connect', `${shown} refused the connection.`))
    throw failure
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Ends with the connection, and when the server takes no messages. Returns what ends it with its channel. */
function closing(
  model: ChannelModel,
  shown: string,
  end: RabbitmqConnection['end'],
  refuse: (error: Error) => void,
): () => void {
  const close = () => end(new OutboundError('connect', `${shown} closed the connection.`))
  model.on('error', (error) => {
    if (isOfServer(error)) refuse(error)
    else end(asOutboundError(error, shown))
  })
  model.once('close', (error) => {
    if (error !== undefined && isOfServer(error)) refuse(error)
    close()
  })
  model.once('blocked', () =>
    end(new OutboundError('connect', `${shown} takes no messages, because it is short of memory or disk space.`)),
  )
  return close
}

/** Whether the server gave this reason, rather than the network. */
export function isOfServer(error: Error): boolean {
  return ('code' in error && typeof error.code === 'number') || inHandshake.test(error.message)
}

/** The client gives no code of what the server says before the connection is open. */
const inHandshake = /^Handshake terminated by server: |; got <ConnectionClose /

/** The reason why a connection ended counts for more than what the client says of it. */
function failureOf(
  error: unknown,
  { ended, refusal }: { ended?: OutboundError; refusal?: Error },
  shown: string,
): unknown {
  if (refusal) return refusal
  if (!(error instanceof Error) || isOfServer(error) || error instanceof OutboundError) return error
  if (ended) return ended
  const known = asOutboundError(error, shown)
  const isOfNetwork = known.kind !== 'connect' || ('code' in error && typeof error.code === 'string')
  return isOfNetwork
    ? known
    : new OutboundError('protocol', `${shown} does not answer like a RabbitMQ.`, { cause: error })
}

/** Returns what sets the number of bytes that the server may answer with from now on. */
function limitAnswers(model: ChannelModel, shown: string, end: RabbitmqConnection['end']): (bytes: number) => void {
  const { stream } = model.connection as ChannelModel['connection'] & { stream: Socket }
  let until = stream.bytesRead + answerBytesMax
  // The client reads when there is something to read. A further handler takes nothing away.
  stream.on('readable', () => {
    if (stream.bytesRead > until) end(new OutboundError('too_large', `${shown} answered with too many bytes.`))
  })
  return (bytes) => {
    until = stream.bytesRead + bytes
  }
}

async function publishAll(channel: ConfirmChannel, publications: readonly Publication[]): Promise<Confirmation[]> {
  const returned = new Set<unknown>()
  const onReturn = ({ properties }: { properties: { messageId?: unknown } }) => returned.add(properties.messageId)
  channel.on('return', onReturn)
  try {
    const confirmations = publications.map(
      ({ exchange, routingKey, body, options }) =>
        new Promise<Confirmation>((settle) => {
          const confirmed = (error: unknown) => {
            // The server returns a message before it confirms it.
            if (!error) settle(returned.has(options.messageId) ? 'returned' : 'taken')
            else settle(error instanceof Error && error.message === 'message nacked' ? 'rejected' : 'unconfirmed')
          }
          try {
            channel.publish(exchange, routingKey, body, options, confirmed)
          } catch (error) {
            // The channel was closed.
            if (!(error instanceof Error) || error.name !== 'IllegalOperationError') throw error
            settle('unconfirmed')
          }
        }),
    )
    return await Promise.all(confirmations)
  } finally {
    channel.off('return', onReturn)
  }
}
