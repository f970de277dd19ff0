import { array, bytes, type Fields, int8, int16, int32, MalformedResponse, string } from './bytes.ts'

/** A request: what it is, in one version, its fields, and how its response is read. */
export interface KafkaRequest<T> {
  apiKey: number
  apiVersion: number
  /** Its fields, in parts: what is large is not copied. */
  fields: readonly Buffer[]
  read(response: Fields): T
}

/** Which versions of requests a broker speaks: of each key, the lowest and the highest. */
export type ApiVersions = ReadonlyMap<number, readonly [min: number, max: number]>

/** Keys of the requests ("Api Keys"). */
const keys = { produce: 0, metadata: 3, saslHandshake: 17, apiVersions: 18, initProducerId: 22, saslAuthenticate: 36 }

export function apiVersions(): KafkaRequest<ApiVersions> {
  return {
    apiKey: keys.apiVersions,
    apiVersion: 0,
    fields: [],
    read(response) {
      const error = response.int16()
      const found = response.array(() => [response.int16(), [response.int16(), response.int16()] as const] as const)
      if (error !== 0) throw new MalformedResponse(`no versions: error ${error}`)
      return new Map(found)
    },
  }
}

export function saslHandshake(mechanism: string): KafkaRequest<{ error: number; mechanisms: string[] }> {
  return {
    apiKey: keys.saslHandshake,
    apiVersion: 1,
    fields: [string(mechanism)],
    read: (response) => ({ error: response.int16(), mechanisms: response.array(() => response.string()) }),
  }
}

export interface SaslAnswer {
  error: number
  message: string | null
  content: Buffer
}

export function saslAuthenticate(content: Buffer): KafkaRequest<SaslAnswer> {
  return {
    apiKey: keys.saslAuthenticate,
    apiVersion: 0,
    fields: [bytes(content)],
    read: (response) => ({ error: response.int16(), message: response.nullableString(), content: response.bytes() }),
  }
}

export interface TopicMetadata {
  brokers: { nodeId: number; host: string; port: number }[]
  error: number
  /** The node that leads each partition; -1 if none does. */
  leaders: Map<number, number>
}

/**
 * Returns the version of `Metadata` to ask a broker in: 4 creates no topic, and 2 is the one of older software, where
 * this depends on its settings.
 */
export function metadataVersionOf(versions: ApiVersions): number {
  return (versions.get(keys.metadata)?.[1] ?? 0) >= 4 ? 4 : 2
}

/** Asks for the partitions of a topic. */
export function metadata(topic: string, apiVersion: number): KafkaRequest<TopicMetadata> {
  return {
    apiKey: keys.metadata,
    apiVersion,
    fields: apiVersion >= 4 ? [array([topic], string), int8(0)] : [array([topic], string)],
    read(response) {
      if (apiVersion >= 3) response.int32()
      const brokers = response.array(() => {
        const broker = { nodeId: response.int32(), host: response.string(), port: response.int32() }
        response.nullableString()
        return broker
      })
      response.nullableString()
      response.int32()
      const topics = response.array(() => ({
        error: response.int16(),
        name: response.string(),
        isInternal: response.int8(),
        partitions: response.array(() => {
          response.int16()
          const [index, leader] = [response.int32(), response.int32()]
          response.array(response.int32)
          response.array(response.int32)
          return [index, leader] as const
        }),
      }))
      const found = topics.find(({ name }) => name === topic)
      if (!found) throw new MalformedResponse('another topic')
      return { brokers, error: found.error, leaders: new Map(found.partitions) }
    },
  }
}

/** Asks for an id by which brokers know what they have accepted already. */
export function initProducerId(): KafkaRequest<{ error: number; producerId: bigint; producerEpoch: number }> {
  return {
    apiKey: keys.initProducerId,
    apiVersion: 0,
    fields: [string(null), int32(60_000)],
    read(response) {
      response.int32()
      return { error: response.int16(), producerId: response.int64(), producerEpoch: response.int16() }
    },
  }
}

/** What a broker says about the batch of a partition. */
export interface ProduceAnswer {
  error: number
  offset: bigint
}

/** Versions of `Produce` that the fields below are written in. */
const produceMin = 3
const produceMax = 7

/** Returns the version of `Produce` that a broker and we speak; undefined if there is none. */
export function produceVersionOf(versions: ApiVersions): number | undefined {
  const [min, max] = versions.get(keys.produce) ?? [0, -1]
  const highest = Math.min(max, produceMax)
  return highest >= Math.max(min, produceMin) ? highest : undefined
}

/** Sends a batch of records to each of some partitions. The broker answers when all replicas in sync have them. */
export function produce(
  topic: string,
  batches: ReadonlyMap<number, Buffer>,
  { apiVersion, timeoutMs }: { apiVersion: number; timeoutMs: number },
): KafkaRequest<Map<number, ProduceAnswer>> {
  const partitions = [...batches].flatMap(([partition, batch]) => [int32(partition), int32(batch.length), batch])
  const allReplicas = -1
  return {
    apiKey: keys.produce,
    apiVersion,
    fields: [
      ...[string(null), int16(allReplicas), int32(timeoutMs)],
      ...[int32(1), string(topic), int32(batches.size), ...partitions],
    ],
    read(response) {
      const topics = response.array(() => ({
        name: response.string(),
        partitions: response.array(() => {
          const [partition, error, offset] = [response.int32(), response.int16(), response.int64()]
          response.int64()
          if (apiVersion >= 5) response.int64()
          return [partition, { error, offset }] as const
        }),
      }))
      return new Map(topics.find(({ name }) => name === topic)?.partitions)
    },
  }
}
