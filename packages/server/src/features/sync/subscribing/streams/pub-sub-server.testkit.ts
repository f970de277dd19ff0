import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import { fromJSON } from '@grpc/proto-loader'
import { Type } from 'avsc'
import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import { pubSubSchema, pubSubService } from './pub-sub-schema.ts'

export { status } from '@grpc/grpc-js'

const header = {
  type: 'record',
  name: 'ChangeEventHeader',
  fields: [
    { name: 'entityName', type: 'string' },
    { name: 'recordIds', type: { type: 'array', items: 'string' } },
    { name: 'changeType', type: { type: 'enum', name: 'ChangeType', symbols: changeTypes() } },
    { name: 'commitTimestamp', type: 'long' },
    { name: 'changedFields', type: { type: 'array', items: 'string' } },
  ],
}

/** The schema of change events, as Salesforce has it, with fewer fields. */
export const changeSchema = {
  type: 'record',
  name: 'ContactChangeEvent',
  namespace: 'com.sforce.eventbus',
  fields: [
    { name: 'ChangeEventHeader', type: header },
    {
      name: 'Name',
      type: [
        'null',
        'string',
        {
          type: 'record',
          name: 'Switchable_PersonName',
          fields: [
            { name: 'FirstName', type: ['null', 'string'], default: null },
            { name: 'LastName', type: ['null', 'string'], default: null },
          ],
        },
      ],
      default: null,
    },
    { name: 'email', type: ['null', 'string'], default: null },
    { name: 'Phone', type: ['null', 'string'], default: null },
  ],
}

function changeTypes() {
  const kinds = ['CREATE', 'UPDATE', 'DELETE', 'UNDELETE']
  return [...kinds, ...kinds.map((kind) => `GAP_${kind}`), 'GAP_OVERFLOW']
}

export interface Change {
  ids: string[]
  type: string
  changedFields?: string[]
  fields?: Record<string, unknown>
  schemaId?: string
  /** Sent in place of the encoded event. */
  payload?: Buffer
}

interface Topic {
  events: { replayId: Buffer; schemaId: string; payload: Buffer }[]
  /** Position before the oldest event that is kept. */
  oldest: number
}

interface Fetch {
  topic_name: string
  replay_preset: string
  replay_id: Buffer
  num_requested: number
}

interface Call {
  topic: string
  call: ServerDuplexStream<Fetch, object>
  token: string
  start: string
  /** Number of requested events that were not sent. */
  pending: number
  sent: number
}

/** Whether a call has the headers of a connection, besides a token that has not ended. */
type FitsConnection = (metadata: Metadata) => boolean

const ofOneOrg: FitsConnection = (metadata) =>
  String(metadata.get('tenantid')[0]) === 'org1' && metadata.get('instanceurl').length === 1

/** A Pub/Sub API that refuses whatever the real one refuses. */
export async function startPubSubServer(fitsConnection = ofOneOrg) {
  const topics = new Map<string, Topic>()
  const schemas = new Map<string, string>([['s1', JSON.stringify(changeSchema)]])
  const calls: Call[] = []
  const begun: Call[] = []
  const asked: string[] = []
  const state = {
    /** A token that has ended. */
    endedToken: undefined as string | undefined,
    /** Status of the next subscriptions, by topic. */
    refuse: new Map<string, number>(),
    silent: false,
    pushesMore: false,
  }

  function denied({ metadata }: { metadata: Metadata }): boolean {
    const [token] = metadata.get('accesstoken')
    const isEnded = token === undefined || String(token) === state.endedToken
    return isEnded || !fitsConnection(metadata)
  }

  function fail(call: ServerDuplexStream<Fetch, object>, code: number, details: string, errorCode: string): void {
    const metadata = new Metadata()
    metadata.set('error-code', `sfdc.platform.eventbus.grpc.${errorCode}`)
    call.emit('error', { code, details, metadata })
  }

  /** Sends what is requested and not sent. */
  function push(one: Call): void {
    const topic = topics.get(one.topic)
    if (!topic || state.silent) return
    const next = topic.events.filter(({ replayId }) => numberOf(replayId) > one.sent)
    const most = state.pushesMore ? next.length : one.pending
    const events = next.slice(0, most)
    if (events.length === 0) return
    one.pending -= events.length
    one.sent = numberOf(events.at(-1)?.replayId ?? Buffer.alloc(8))
    one.call.write({
      events: events.map(({ replayId, schemaId, payload }) => ({
        replay_id: replayId,
        event: { id: `${numberOf(replayId)}`, schema_id: schemaId, payload },
      })),
      latest_replay_id: events.at(-1)?.replayId,
      pending_num_requested: one.pending,
    })
  }

  function begin(call: ServerDuplexStream<Fetch, object>, fetch: Fetch): Call | undefined {
    const topic = topics.get(fetch.topic_name)
    const code = state.refuse.get(fetch.topic_name)
    if (denied(call)) return void fail(call, status.UNAUTHENTICATED, 'No valid token.', 'service.auth.error')
    if (code !== undefined) return void fail(call, code, 'As ordered: accesstoken token0.', 'ordered')
    if (!topic) return void fail(call, status.NOT_FOUND, `Topic ${fetch.topic_name} not found.`, 'topic.not.found')
    const newest = topic.oldest + topic.events.length
    const isCustom = fetch.replay_preset === 'CUSTOM'
    const from = isCustom ? numberOf(fetch.replay_id) : newest
    if (isCustom && (from < topic.oldest || from > newest)) {
      const errorCode = 'subscription.fetch.replayid.validation.failed'
      return void fail(call, status.INVALID_ARGUMENT, 'The Replay ID validation failed.', errorCode)
    }
    const [token] = call.metadata.get('accesstoken')
    const start = isCustom ? `${from}` : fetch.replay_preset
    const one = { topic: fetch.topic_name, call, token: String(token), start, pending: 0, sent: from }
    calls.push(one)
    begun.push(one)
    return one
  }

  const server = new Server()
  const definition = fromJSON(pubSubSchema, { keepCase: true, defaults: true, enums: String })[pubSubService]
  if (!definition || 'format' in definition) throw new Error('The schema has no service.')
  server.addService(definition, {
    Subscribe(call: ServerDuplexStream<Fetch, object>) {
      let mine: Call | undefined
      const over = () => {
        if (mine) calls.splice(calls.indexOf(mine), 1)
        mine = undefined
      }
      call.on('cancelled', over)
      call.on('end', over)
      call.on('data', (fetch: Fetch) => {
        if (!mine && begun.some((one) => one.call === call)) return
        mine ??= begin(call, fetch)
        if (!mine) return
        if (fetch.num_requested < 1 || fetch.num_requested > 100 || fetch.topic_name !== mine.topic)
          return fail(call, status.INVALID_ARGUMENT, 'Not a valid request.', 'subscription.fetch.invalid')
        mine.pending += fetch.num_requested
        push(mine)
      })
    },
    GetSchema(call: ServerUnaryCall<{ schema_id: string }, object>, done: sendUnaryData<object>) {
      asked.push(call.request.schema_id)
      const schema = schemas.get(call.request.schema_id)
      if (denied(call)) return done({ code: status.UNAUTHENTICATED, details: 'No valid token.' })
      if (schema === undefined) return done({ code: status.NOT_FOUND, details: 'No such schema.' })
      done(null, { schema_json: schema, schema_id: call.request.schema_id })
    },
  })
  const { cert, key } = testCertificate
  const credentials = ServerCredentials.createSsl(null, [
    { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) },
  ])
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)))
  })

  return {
    host: `127.0.0.1:${port}`,
    topics,
    schemas,
    /** Calls that are open, and all that were begun. */
    calls,
    begun,
    asked,
    state,
    addTopic(name: string) {
      topics.set(name, { events: [], oldest: 0 })
    },
    /** Publishes changes, and sends them to the subscribers that requested them. */
    publish(name: string, ...changes: Change[]) {
      const topic = topics.get(name)
      if (!topic) throw new Error(`There is no topic ${name}.`)
      for (const change of changes)
        topic.events.push({
          replayId: replayIdOf(topic.oldest + topic.events.length + 1),
          schemaId: change.schemaId ?? 's1',
          payload: change.payload ?? encoded(change, schemas.get(change.schemaId ?? 's1') ?? ''),
        })
      for (const one of calls) if (one.topic === name) push(one)
    },
    /** Deletes the events that are kept. */
    expire(name: string) {
      const topic = topics.get(name)
      if (!topic) return
      topic.oldest += topic.events.length
      topic.events.length = 0
    },
    /** Sends a response without events, as the API does every few minutes. */
    keepAlive(name: string) {
      const topic = topics.get(name)
      for (const one of calls.filter((call) => call.topic === name)) {
        one.sent = Math.max(one.sent, topic ? topic.oldest + topic.events.length : 0)
        one.call.write({ events: [], latest_replay_id: replayIdOf(one.sent), pending_num_requested: one.pending })
      }
    },
    /** Ends open calls with a status. */
    end(code: number) {
      for (const { call } of [...calls]) fail(call, code, 'As ordered.', 'ordered')
    },
    stop: () => server.forceShutdown(),
  }
}

export type PubSubServer = Awaited<ReturnType<typeof startPubSubServer>>

export function encoded({ ids, type, changedFields = [], fields = {} }: Change, schema: string): Buffer {
  const of = {
    entityName: 'Contact',
    recordIds: ids,
    changeType: type,
    commitTimestamp: 1_700_000_000_000,
    changedFields,
  }
  const avro = Type.forSchema(JSON.parse(schema) as Parameters<typeof Type.forSchema>[0])
  return avro.toBuffer({ Name: null, email: null, Phone: null, ChangeEventHeader: of, ...fields })
}

function replayIdOf(number: number): Buffer {
  const id = Buffer.alloc(8)
  id.writeBigUInt64BE(BigInt(number))
  return id
}

function numberOf(replayId: Buffer): number {
  return replayId.length === 8 ? Number(Buffer.from(replayId).readBigUInt64BE()) : -1
}
