import type { Client, ClientDuplexStream, ClientUnaryCall, Metadata, ServiceError } from '@grpc/grpc-js'
import { type GrpcTarget, OutboundError, openGrpcClient, shownHost } from '../../../../kernel/net/index.ts'
import { pubSubError } from './pub-sub-error.ts'
import { pubSubSchema, pubSubService } from './pub-sub-schema.ts'

/** An event as it was sent. */
export interface SentEvent {
  schemaId: string
  payload: Buffer
  replayId: Buffer
}

export interface FetchResponse {
  events: SentEvent[]
  /** Position to continue from once the events are stored. Empty if the provider names none. */
  position: Buffer
}

export interface Subscription extends AsyncIterable<FetchResponse> {
  /** Permits the provider to send this many more events. */
  request(count: number): void
}

export interface PubSubClient {
  /**
   * Subscribes to a topic: after a position, or from the newest event. The first events must be requested. The iterator
   * ends when the provider ends the call.
   *
   * @throws PositionUnknown, ProviderError, OutboundError while iterating
   */
  subscribe(topic: string, options: { position: Buffer | undefined; signal: AbortSignal }): Subscription
  /** Returns the Avro schema of events, as JSON. @throws ProviderError */
  schema(id: string, signal: AbortSignal): Promise<string>
  close(): void
}

export interface PubSubOptions extends Omit<GrpcTarget, 'messageBytesMax'> {
  headers: Record<string, string>
  /** Makes a text of the provider fit to be shown. */
  safe: (text: string) => string
  /** A subscription without any response for this long has ended. The API responds every 270 seconds. */
  idleMs: number
}

/** More than `requestedMax` events of the largest size that the API has. */
export const messageBytesMax = 32 * 1024 * 1024
const schemaTimeoutMs = 30_000

/** Opens a client of the Pub/Sub API. @throws OutboundError */
export async function openPubSub(options: PubSubOptions): Promise<PubSubClient> {
  const { headers, safe, idleMs, host, port } = options
  const library = await import('@grpc/grpc-js')
  const client = (await openGrpcClient({ ...options, messageBytesMax }, pubSubSchema, pubSubService)) as PubSubStub
  const metadata = new library.Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  const shown = shownHost(host, port)

  /** Returns what a failed call means. A canceled one has the reason of its signal. */
  function failed(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason
    if (!isServiceError(error)) return error
    const [code] = error.metadata?.get('error-code') ?? []
    const status = library.status[error.code] ?? 'UNKNOWN'
    return pubSubError({ status, details: error.details ?? '', code: code?.toString() ?? '' }, safe)
  }

  return {
    subscribe(topic, { position, signal }) {
      const idle = new AbortController()
      const ended = AbortSignal.any([signal, idle.signal])
      const late = () => idle.abort(new OutboundError('timeout', `${shown} did not answer in time.`))
      const call = client.Subscribe(metadata)
      // The iterator reports what happened. An error before it begins must not end the process.
      call.on('error', () => undefined)
      const cancel = () => call.cancel()
      ended.addEventListener('abort', cancel, { once: true })
      if (ended.aborted) cancel()
      let isFirst = true
      return {
        request(count) {
          const start = position
            ? { replay_preset: 'CUSTOM' as const, replay_id: position }
            : { replay_preset: 'LATEST' as const }
          call.write({ topic_name: topic, num_requested: count, ...(isFirst && start) })
          isFirst = false
        },
        async *[Symbol.asyncIterator]() {
          let timer = setTimeout(late, idleMs)
          try {
            for await (const response of call as AsyncIterable<RawResponse>) {
              clearTimeout(timer)
              yield { events: response.events.map(sentEvent), position: Buffer.from(response.latest_replay_id) }
              timer = setTimeout(late, idleMs)
            }
          } catch (error) {
            throw failed(error, ended)
          } finally {
            clearTimeout(timer)
            ended.removeEventListener('abort', cancel)
            call.cancel()
          }
          if (ended.aborted) throw ended.reason
        },
      }
    },
    schema(id, signal) {
      return new Promise((resolve, reject) => {
        const deadline = Date.now() + schemaTimeoutMs
        const call = client.GetSchema({ schema_id: id }, metadata, { deadline }, (error, info) => {
          signal.removeEventListener('abort', cancel)
          if (error) reject(failed(error, signal))
          else resolve(info?.schema_json ?? '')
        })
        const cancel = () => call.cancel()
        signal.addEventListener('abort', cancel, { once: true })
        if (signal.aborted) cancel()
      })
    },
    close: () => client.close(),
  }
}

interface RawResponse {
  events: { event: { schema_id: string; payload: Buffer } | null; replay_id: Buffer }[]
  latest_replay_id: Buffer
}

interface FetchRequest {
  topic_name: string
  num_requested: number
  replay_preset?: 'LATEST' | 'CUSTOM'
  replay_id?: Buffer
}

/** The methods that the library makes of the schema. */
interface PubSubStub extends Client {
  Subscribe(metadata: Metadata): ClientDuplexStream<FetchRequest, RawResponse>
  GetSchema(
    request: { schema_id: string },
    metadata: Metadata,
    options: { deadline: number },
    done: (error: ServiceError | null, info?: { schema_json: string }) => void,
  ): ClientUnaryCall
}

function sentEvent({ event, replay_id: replayId }: RawResponse['events'][number]): SentEvent {
  return {
    schemaId: event?.schema_id ?? '',
    payload: Buffer.from(event?.payload ?? []),
    replayId: Buffer.from(replayId),
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && typeof (error as Partial<ServiceError>).code === 'number'
}
