import { setTimeout as delay } from 'node:timers/promises'
import { eventSourceOf, type OpenedStream, openStream, ProviderError, streamOf, topicOf } from '@mortise/providers'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { backoffMs, jittered } from '../../../../kernel/backoff.ts'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { AddressGuard, Names } from '../../../../kernel/net/index.ts'
import { type Lease, LeaseLost } from '../../../../kernel/work/index.ts'
import { findConnection } from '../../../accounts/connections/index.ts'
import {
  findInstallation,
  type InstallationRecord,
  lockInstallation,
} from '../../../integrations/installations/index.ts'
import { classifyFailure, openProviderAccess, type ProviderFailure } from '../../../provider-calls/calls/index.ts'
import { effectiveSubscribeObjects, wantedEvents } from '../effective-subscribe.ts'
import type { SubscribeServices } from '../subscribe-services.ts'
import { compileDecoder, type EventDecoder, EventUndecodable } from './avro-decoder.ts'
import { followTopic } from './follow-topic.ts'
import { openPubSub, type PubSubClient } from './pub-sub-client.ts'
import { reportStream } from './report-stream.ts'
import type { StreamContext } from './store-response.ts'
import type { StreamRow } from './stream-store.ts'

export type StreamServices = SubscribeServices & { guard: AddressGuard; names: Names }

/** Times of streams, in milliseconds. */
export interface StreamTimes {
  /** When a stream is closed, for any node to open it again with a new credential and checked addresses. */
  lifetimeMs: number
  /** A stream without a response for this long has ended. Salesforce responds every 270 seconds. */
  idleMs: number
  /** A stream that was not refused for this long works, although nothing arrived. */
  acceptedMs: number
}

export const streamTimes: StreamTimes = { lifetimeMs: 3_600_000, idleMs: 330_000, acceptedMs: 10_000 }

const backoff = { firstMs: 1_000, factor: 3, maxMs: 600_000 }
/** Number of attempts after which an unreachable provider is reported: about two minutes. */
const reportedAfterAttempts = 5
/** When a stream is tried again that the provider refuses, or that its file does not declare any more. */
const refusedMs = 3_600_000
const schemasMax = 100

/** A topic that the provider refuses, although its credential is accepted. */
interface Refusal {
  objectName: string
  sentence: string
}

/**
 * Opens the connection of an installation and follows the topics of its objects, until the connection fails, its
 * lifetime is over, or the lease is lost. Settles the lease.
 *
 * @param signal aborts when the process stops, or when the lease is lost
 */
export async function runStream(
  db: ProjectDb,
  services: StreamServices,
  lease: Lease<StreamRow>,
  { signal, times }: { signal: AbortSignal; times: StreamTimes },
): Promise<void> {
  const { installation_id: installationId } = lease.row
  const installation = await findInstallation(db, installationId)
  const stream = streamOf(services.catalogue.find(installation?.provider ?? ''), installation?.module)
  if (!installation || !stream) return lease.postpone(db, { ms: refusedMs, isFailure: false })
  let opened: Awaited<ReturnType<typeof open>> | undefined
  try {
    opened = await open(db, services, installation, signal, times)
    const refusals = await followAll(db, services, lease, { ...opened, installation, signal, times })
    signal.throwIfAborted()
    // Nothing to follow is left: the objects are tried again later. Otherwise the lifetime is over.
    if (refusals === 'all') return lease.postpone(db, { ms: jittered(refusedMs, Math.random()), isFailure: false })
    return lease.release(db)
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    signal.throwIfAborted()
    await settleFailure(db, services, lease, error, opened)
  } finally {
    opened?.client.close()
  }
}

async function open(
  db: ProjectDb,
  services: StreamServices,
  { connectionId, module }: InstallationRecord,
  signal: AbortSignal,
  { idleMs }: StreamTimes,
) {
  const { guard, names } = services
  const { entry, context, http, connection } = await openProviderAccess(db, services, connectionId, {
    module,
    isBackground: true,
  })
  const description = openStream(entry, context, http, { now: () => services.now().getTime() })
  const { headers, generation } = await description.headers(signal)
  const { host, port, safe } = description
  const client = await openPubSub({ host, port, guard, names, project: db.projectId, headers, safe, idleMs })
  return { entry, description, client, connection, generation }
}

type Opened = Awaited<ReturnType<typeof open>>

interface Followed extends Opened {
  installation: InstallationRecord
  signal: AbortSignal
  times: StreamTimes
}

/** Follows all topics. Returns when the lifetime is over, or `all` when the provider refuses all of them. */
async function followAll(
  db: ProjectDb,
  services: StreamServices,
  lease: Lease<StreamRow>,
  { entry, description, client, connection, installation, signal, times }: Followed,
): Promise<'all' | undefined> {
  const { stream } = description
  const positions = await positionsOf(db, lease, installation.connectionId)
  const source = eventSourceOf(entry, installation.module)
  const objects = [...effectiveSubscribeObjects(installation).values()].filter(
    (object) => source && wantedEvents(source, object).length > 0,
  )
  const refusals: Refusal[] = []
  const stop = new AbortController()
  const life = setTimeout(() => stop.abort(), jittered(times.lifetimeMs, Math.random()))
  const ended = AbortSignal.any([signal, stop.signal])
  const decoderOf = createDecoders(client)
  let failure: { error: unknown } | undefined
  const accepted: Promise<void>[] = []
  const runs = objects.map(async ({ objectName }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    accepted.push(Promise.race([promise, delay(times.acceptedMs, undefined, { signal: ended }).catch(() => undefined)]))
    try {
      const topic = topicOf(stream, objectName)
      if (topic === undefined) throw new ProviderError('unsupported_object', 'The provider has no stream for it.')
      const context: StreamContext = { db, services, lease, installation, stream, objectName, decoderOf }
      const options = { signal: ended, opened: resolve }
      await followTopic({ ...context, client, topic }, positions[objectName], options)
      // The provider ended the call as usual: all are opened again.
      throw new ProviderError('provider_5xx', 'The provider ended the stream.')
    } catch (error) {
      const refusal = ended.aborted ? undefined : refusalOf(error, objectName, stream.refused)
      if (refusal) refusals.push(refusal)
      else if (!ended.aborted) {
        failure ??= { error }
        stop.abort()
      }
    } finally {
      resolve()
    }
  })
  const reporting = Promise.all(accepted).then(async () => {
    if (ended.aborted) return
    const error = refusals.length === 0 ? null : sentenceOf(refusals)
    await db.transaction(async (tx) => {
      await lockStream(tx, lease)
      await reportStream(tx, services, installation.id, error)
    })
    if (refusals.length < objects.length) await connection.succeeded()
  })
  // A failed report is a failure of all, but only once the topics have ended.
  reporting.catch((error: unknown) => {
    failure ??= { error }
    stop.abort()
  })
  await Promise.all(runs)
  clearTimeout(life)
  await reporting.catch(() => undefined)
  stop.abort()
  if (failure) throw failure.error
  return refusals.length === objects.length ? 'all' : undefined
}

/**
 * Locks a stream that is about to be reported. First its installation, as every transaction that changes more than the
 * stream: one that set up the stream or changed the installation meanwhile would otherwise deadlock with this one.
 */
async function lockStream(
  tx: ProjectDb,
  lease: Lease<StreamRow>,
): Promise<{ attempts: number; connectionId: string | undefined }> {
  const installation = await lockInstallation(tx, lease.row.installation_id)
  const { attempts } = await lease.lock(tx)
  return { attempts, connectionId: installation?.connectionId }
}

/** Returns the positions of the objects. Those of another connection do not count. */
async function positionsOf(
  db: ProjectDb,
  lease: Lease<StreamRow>,
  connectionId: string,
): Promise<Readonly<Record<string, string>>> {
  const { connection_id: known, positions } = lease.row
  if (known === connectionId) return positions
  const isNew = known === null
  const kept = isNew ? positions : {}
  await lease.note(db, sql`connection_id = ${connectionId}, positions = ${JSON.stringify(kept)}::jsonb`)
  return kept
}

/** Returns the decoders of schemas. Each schema is requested once, however many objects have it. */
function createDecoders(client: PubSubClient): StreamContext['decoderOf'] {
  const decoders = new LRUCache<string, Promise<EventDecoder>>({ max: schemasMax })
  return (id, signal) => {
    const known = decoders.get(id)
    if (known) return known
    const made = client.schema(id, signal).then(compileDecoder, (error: unknown) => {
      const { kind } = classifyFailure(error)
      if (kind !== 'bad_request' && kind !== 'not_found') throw error
      throw new EventUndecodable('The provider does not know the schema of its event.', { cause: error })
    })
    made.catch(() => decoders.delete(id))
    decoders.set(id, made)
    return made
  }
}

/** Returns the refusal of one topic; undefined for what concerns the whole connection. */
function refusalOf(error: unknown, objectName: string, advice: string | undefined): Refusal | undefined {
  const { kind, subscribe, scope, sentence } = classifyFailure(error)
  if (subscribe === 'retry' || scope !== 'request') return undefined
  const hint = kind === 'not_found' || kind === 'forbidden' ? advice : undefined
  return { objectName, sentence: hint === undefined ? sentence : `${hint} ${sentence}` }
}

function sentenceOf(refusals: readonly Refusal[]): string {
  return refusals
    .toSorted((one, other) => (one.objectName < other.objectName ? -1 : 1))
    .map(({ objectName, sentence }) => `${objectName}: ${sentence}`)
    .join(' ')
    .slice(0, 2_000)
}

async function settleFailure(
  db: ProjectDb,
  services: StreamServices,
  lease: Lease<StreamRow>,
  error: unknown,
  opened: { description: OpenedStream; generation: number; connection: Opened['connection'] } | undefined,
): Promise<void> {
  const { installation_id: installationId } = lease.row
  const failure = await afterRefusedCredential(classifyFailure(error), opened)
  if (failure.scope === 'service') throw error
  services.log.info({ projectId: db.projectId, installationId, err: error }, 'a stream ended')
  await opened?.connection.failed(failure)
  await db.transaction(async (tx) => {
    const { attempts, connectionId } = await lockStream(tx, lease)
    const isReplaced = failure.scope === 'credential' && !(await isRefusedAt(tx, connectionId))
    const isPassing = isReplaced || failure.subscribe === 'retry' || failure.scope === 'provider'
    const passingMs = Math.max(failure.retryAfterMs ?? 0, backoffMs(backoff, attempts, Math.random()))
    const waitMs = isPassing ? passingMs : jittered(refusedMs, Math.random())
    // A refused credential waits until the account is connected again.
    const wait = failure.scope === 'credential' && !isReplaced ? { until: null } : { ms: waitMs }
    await lease.postpone(tx, { ...wait, isFailure: true })
    if (!isPassing || attempts + 1 >= reportedAfterAttempts)
      await reportStream(tx, services, installationId, failure.sentence)
  })
}

/**
 * Whether the connection waits for another credential, as of the lock of the installation. It may have got one since
 * the stream failed: then nothing would make the stream due. A connection that works again later locks the installation
 * first, and finds the reported error of the stream.
 */
async function isRefusedAt(tx: ProjectDb, connectionId: string | undefined): Promise<boolean> {
  const connection = connectionId === undefined ? undefined : await findConnection(tx, connectionId)
  return connection?.status === 'bad_credentials'
}

/** Renews a credential that the stream refuses. If there is another one, the stream is only opened again. */
async function afterRefusedCredential(
  failure: ProviderFailure,
  opened: { description: OpenedStream; generation: number } | undefined,
): Promise<ProviderFailure> {
  const { error, kind } = failure
  if (kind !== 'auth_invalidated' || !opened || !(error instanceof Error)) return failure
  const { description, generation } = opened
  try {
    const signal = AbortSignal.timeout(60_000)
    if (await description.refused(generation, error, signal))
      return { ...failure, scope: 'provider', subscribe: 'retry' }
    return failure
  } catch (refused) {
    return classifyFailure(refused)
  }
}
