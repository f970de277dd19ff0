import { type EventStream, loadCatalogue, readStreamEvent, type StreamEvent } from '@mortise/providers'
import { declaredStreams, decodedEvent, streamIds } from '@mortise/providers/stand-in'
import { type Schema, Type } from 'avsc'
import { describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { compileDecoder, EventUndecodable } from './avro-decoder.ts'
import { openPubSub, type PubSubClient, type SentEvent } from './pub-sub-client.ts'
import { PositionUnknown } from './pub-sub-error.ts'
import { startPubSubServer, status } from './pub-sub-server.testkit.ts'

/**
 * Sends the events that each file of the catalog declares for its stream over the protocol: a server of Salesforce’s
 * API that is written by hand, with schemas, events and headers that are made from the file.
 */
const catalogue = await loadCatalogue({ cacheDir: process.env['MORTISE_CACHE_DIR'] ?? '' })
const all = catalogue
  .list()
  .flatMap((entry) => declaredStreams(entry).map(({ module, stream }) => [`${entry.name} ${module}`, stream] as const))

it('the catalog has a stream', () => expect(all).not.toEqual([]))

/** The Avro schema of a value. */
function schemaOf(value: unknown, name = 'Event'): unknown {
  if (typeof value === 'number') return 'long'
  if (Array.isArray(value)) return { type: 'array', items: 'string' }
  if (typeof value !== 'object' || value === null) return 'string'
  const fields = Object.entries(value).map(([key, inner]) => ({ name: key, type: schemaOf(inner, `${name}_${key}`) }))
  return { type: 'record', name, fields }
}

/** A stream of a file, at a server that accepts its headers and has its events. */
async function startStream(stream: EventStream) {
  const headers = Object.fromEntries(Object.keys(stream.headers).map((name) => [name, `its-${name}`]))
  const server = await startPubSubServer((metadata) =>
    Object.entries(headers).every(([name, value]) => String(metadata.get(name)) === value),
  )
  server.addTopic(topic)
  const ids = streamIds(stream)
  const example = decodedEvent(stream, { name: 'x', ids, fields: ['Email'], record: { note: 'A record.' } })
  const schema = schemaOf(example)
  server.schemas.set('of-the-file', JSON.stringify(schema))
  const avro = Type.forSchema(schema as Schema)
  const payloadOf = (name: string, of: string[]) =>
    avro.toBuffer(decodedEvent(stream, { name, ids: of, fields: ['Email'], record: { note: 'A record.' } }))
  const client = (sent = headers) =>
    openPubSub({
      ...{ host: 'name.example', port: Number(server.host.split(':')[1]), project: 'project', idleMs: 60_000 },
      guard: createAddressGuard({ allow: parseAllowedNetworks('loopback') }),
      names: {
        ...{ known: () => undefined, lookup: () => undefined },
        resolve: async () => [{ address: '127.0.0.1', family: 4 as const, ttl: 60 }],
      },
      headers: sent,
      safe: (text) => text,
    })
  return {
    ...{ server, ids, headers, client },
    publish: (name: string, of: string[] = ids) => publish(payloadOf(name, of)),
    publishMalformed: (name: string) => publish(payloadOf(name, ids).subarray(0, 5)),
    /** Reads events after a position, until there are so many. */
    async read(count: number, position?: Buffer) {
      const opened = await client()
      try {
        const found: Found[] = []
        const subscription = opened.subscribe(topic, { position, signal })
        subscription.request(25)
        for await (const { events } of subscription) {
          for (const event of events) found.push(await decoded(stream, opened, event))
          if (found.length >= count) break
        }
        return found
      } finally {
        opened.close()
      }
    },
    [Symbol.asyncDispose]: async () => server.stop(),
  }

  function publish(payload: Buffer) {
    server.publish(topic, { ids: [], type: '', schemaId: 'of-the-file', payload })
  }
}

const topic = '/data/of-the-stand-in'
const { signal } = new AbortController()

interface Found {
  position: Buffer
  /** Undefined if the event cannot be decoded. */
  event: StreamEvent | undefined
}

async function decoded(stream: EventStream, client: PubSubClient, sent: SentEvent): Promise<Found> {
  const decode = compileDecoder(await client.schema(sent.schemaId, signal))
  try {
    return { position: sent.replayId, event: readStreamEvent(stream, decode(sent.payload)) }
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error
    return { position: sent.replayId, event: undefined }
  }
}

/** The position before the first event. */
const start = Buffer.alloc(8)

describe.each(all)('%s', (_, stream) => {
  const { create = [], update = [], delete: deleted = [] } = stream.events
  const names = [...create, ...update, ...deleted]
  const [first = ''] = names

  it('each event arrives with its records, time and changed fields', async () => {
    await using at = await startStream(stream)
    for (const name of names) at.publish(name)
    const found = await at.read(names.length, start)
    expect(found.map(({ event }) => event?.name)).toEqual(names)
    const { time, fieldsUpdated } = stream.event
    for (const { event } of found) {
      expect(event?.records.map(({ id }) => id)).toEqual(at.ids)
      expect(event).toMatchObject({ isMissed: false, ...(time && { time: expect.any(Date) }) })
      expect(event?.fieldsUpdated).toEqual(fieldsUpdated && ['Email'])
    }
  })

  it('a stream that breaks continues after a position, and no event is missing', async () => {
    await using at = await startStream(stream)
    for (const id of at.ids) at.publish(first, [id])
    const [one] = await at.read(3, start)
    at.publish(first, ['later'])
    const rest = await at.read(3, one?.position)
    expect(rest.map(({ event }) => event?.records.map(({ id }) => id))).toEqual([
      [at.ids[1]],
      [at.ids[2]],
      stream.event.idPattern === undefined ? ['later'] : [],
    ])
    expect(rest.at(-1)?.event?.isMissed).toBe(stream.event.idPattern !== undefined)
  })

  it('a call that the provider ends is an error that passes', async () => {
    await using at = await startStream(stream)
    at.publish(first)
    const reading = at.read(2, start)
    await expect.poll(() => at.server.calls.length).toBe(1)
    at.server.end(status.UNAVAILABLE)
    await expect(reading).rejects.toMatchObject({ class: 'provider_5xx' })
  })

  it('a position that is not kept any more is unknown', async () => {
    await using at = await startStream(stream)
    at.publish(first)
    const [one] = await at.read(1, start)
    at.publish(first)
    at.server.expire(topic)
    await expect(at.read(1, one?.position)).rejects.toBeInstanceOf(PositionUnknown)
  })

  it.each(Object.keys(stream.headers))('another header %s is refused as a credential', async (name) => {
    await using at = await startStream(stream)
    const client = await at.client({ ...at.headers, [name]: 'another' })
    const subscription = client.subscribe(topic, { position: undefined, signal })
    subscription.request(1)
    await expect(subscription[Symbol.asyncIterator]().next()).rejects.toMatchObject({ class: 'auth_invalidated' })
    client.close()
  })

  it('an event that cannot be decoded is known as such, and the next one arrives', async () => {
    await using at = await startStream(stream)
    at.publishMalformed(first)
    at.publish(first)
    const found = await at.read(2, start)
    expect(found.map(({ event }) => event?.name)).toEqual([undefined, first])
  })
})
