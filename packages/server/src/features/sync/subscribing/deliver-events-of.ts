import { setImmediate } from 'node:timers/promises'
import { type EventSource, eventSourceOf } from '@mortise/providers'
import { backoffMs } from '../../../kernel/backoff.ts'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { findIntegration } from '../../integrations/integrations/index.ts'
import { cutDataMessages, messageBytesMax, type NewMessage, postMessages } from '../../messaging/messages/index.ts'
import { type ChangedObject, readSoon } from '../reading/index.ts'
import { type EventMapper, openEventMapper } from './event-mapper.ts'
import { type EventQueue, listDueEvents, postponeEvents, takeEvents, type WaitingEvent } from './inbound-store.ts'
import { ProviderBusy } from './provider-busy.ts'
import { listInstallationIdsOfAccount } from './store.ts'
import type { SubscribeServices } from './subscribe-services.ts'

/**
 * Maximum number and bytes of the events that one transaction converts to messages. Their installations are looked up
 * once per batch.
 */
const batchMax = 250
const batchBytesMax = 8 * 1_024 * 1_024
/**
 * Number of events after which the loop yields to other work of this process: a provider expects its response
 * immediately.
 */
const yieldEvery = 20
const backoff = { firstMs: 5_000, factor: 5, maxMs: 600_000 }

/** What an event means to one installation: an entry of a message. */
interface Entry {
  eventId: string
  eventMapper: EventMapper
  objectName: string
  json: string
}

/**
 * Converts the due events of an event queue to messages, in their order. Ends with the first batch that is not full:
 * another job delivers the events that arrived meanwhile, as one batch. Reading again immediately would make a
 * transaction of every few events during a burst.
 */
export async function deliverEventsOf(
  eventQueue: EventQueue,
  services: SubscribeServices,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const db = services.database.forProject(eventQueue.projectId)
  const integration = await findIntegration(db, eventQueue.integrationId)
  const provider = integration?.provider
  const source = eventSourceOf(services.catalogue.find(provider ?? ''), integration?.content.module)
  for (;;) {
    signal.throwIfAborted()
    const due = { now: services.now(), limit: batchMax, bytes: batchBytesMax }
    const events = await listDueEvents(db, eventQueue, due)
    if (events.length > 0) await deliverBatch({ db, services, eventQueue, provider, source, signal, log }, events)
    if (!isFull(events)) return
  }
}

/** Whether more events may be due: the query listed only as many as fit. */
function isFull(events: WaitingEvent[]): boolean {
  return events.length === batchMax || events.reduce((sum, { raw }) => sum + Buffer.byteLength(raw), 0) >= batchBytesMax
}

interface Work {
  db: ProjectDb
  services: SubscribeServices
  eventQueue: EventQueue
  provider: string | undefined
  source: EventSource | undefined
  signal: AbortSignal
  log: Logger
}

/** Commits a whole batch in one transaction: posts the messages of its events and deletes the events. */
async function deliverBatch(work: Work, events: WaitingEvent[]): Promise<void> {
  const { db, services, source, log } = work
  const listeners = new Map<string, Promise<EventMapper | undefined>>()
  const done: string[] = []
  const late: { id: string; attempts: number; retryAfterMs: number }[] = []
  const entries: Entry[] = []
  const changes: (ChangedObject & { eventId: string })[] = []
  const installations = await installationsOf(work, events)
  const listen = (installationId: string) => {
    const opening = listeners.get(installationId) ?? open(installationId)
    listeners.set(installationId, opening)
    return opening
  }
  const open = async (installationId: string) => {
    const eventMapper = await openEventMapper(db, services, installationId, work.signal)
    eventMapper?.expect(events.filter((event) => installations(event).includes(installationId)))
    return eventMapper
  }
  for (const [at, event] of events.entries()) {
    if (at > 0 && at % yieldEvery === 0) await setImmediate()
    const made: Entry[] = []
    const changed: typeof changes = []
    try {
      for (const installationId of source ? installations(event) : []) {
        const eventMapper = await listen(installationId)
        for (const { objectName, json } of (await eventMapper?.entriesOf(event)) ?? [])
          if (eventMapper) made.push({ eventId: event.id, eventMapper, objectName, json })
        for (const objectName of eventMapper?.changedBy(event) ?? [])
          changed.push({ eventId: event.id, installationId, objectName })
      }
      entries.push(...made)
      changes.push(...changed)
      done.push(event.id)
    } catch (error) {
      work.signal.throwIfAborted()
      if (!(error instanceof ProviderBusy)) throw error
      log.info({ err: error, eventId: event.id }, 'failed to read a record; its event waits')
      late.push({ id: event.id, attempts: event.attempts, retryAfterMs: error.retryAfterMs })
    }
  }
  const mine = await db.transaction(async (tx) => {
    const taken = await takeEvents(tx, done)
    const messages = messagesOf(entries.filter(({ eventId }) => taken.has(eventId)))
    if (messages.length > 0) await postMessages(tx, services, messages)
    await readSoon(tx, services, distinctObjects(changes.filter(({ eventId }) => taken.has(eventId))))
    return taken
  })
  const wanted = new Set([...entries, ...changes].map(({ eventId }) => eventId))
  const unwanted = events.filter(({ id }) => mine.has(id) && !wanted.has(id))
  noteDropped(work, unwanted, (event) => installations(event).length > 0)
  // One random number for all: a single statement then postpones all events that failed equally often.
  const random = Math.random()
  const byWait = Map.groupBy(late, ({ attempts, retryAfterMs }) =>
    Math.max(retryAfterMs, backoffMs(backoff, attempts, random)),
  )
  for (const [waitMs, some] of byWait)
    await postponeEvents(
      db,
      some.map(({ id }) => id),
      new Date(services.now().getTime() + waitMs),
    )
}

/** Returns each object once, however many events say that it changed. */
function distinctObjects(changes: readonly ChangedObject[]): ChangedObject[] {
  const objects = changes.map(({ installationId, objectName }) => ({ installationId, objectName }))
  return [...new Map(objects.map((object) => [`${object.installationId} ${object.objectName}`, object])).values()]
}

/** Logs events that no installation wants: one entry for each reason and name. */
function noteDropped(
  { db, services, eventQueue, provider }: Work,
  events: readonly WaitingEvent[],
  hasInstallation: (event: WaitingEvent) => boolean,
): void {
  const reasonOf = (event: WaitingEvent) =>
    hasInstallation(event)
      ? 'No installation subscribes to events of this kind.'
      : 'No installation uses the account that the event names.'
  for (const some of Map.groupBy(events, (event) =>
    JSON.stringify([reasonOf(event), event.object, event.name]),
  ).values()) {
    const [first] = some
    if (!first) continue
    services.providerEvents.add({
      projectId: db.projectId,
      outcome: 'dropped',
      reason: reasonOf(first),
      provider,
      integrationId: eventQueue.integrationId,
      installationId: eventQueue.installationId,
      objectName: first.object ?? undefined,
      eventName: first.name,
      requests: 0,
      events: some.length,
      newEvents: 0,
      bytes: some.reduce((sum, { raw }) => sum + Buffer.byteLength(raw), 0),
    })
  }
}

/** Returns the installations of each event: the one that its URL names, or all whose account it names. */
async function installationsOf({ db, eventQueue }: Work, events: WaitingEvent[]) {
  const { installationId, integrationId } = eventQueue
  if (installationId !== undefined) return () => [installationId]
  const accounts = [...new Set(events.flatMap(({ account }) => account ?? []))]
  const byAccount = new Map<string, string[]>()
  for (const account of accounts) byAccount.set(account, await listInstallationIdsOfAccount(db, integrationId, account))
  return ({ account }: WaitingEvent) => byAccount.get(account ?? '') ?? []
}

/** Combines successive entries of an object into one message, as far as they fit. */
function messagesOf(entries: Entry[]): NewMessage[] {
  const byObject = Map.groupBy(entries, ({ eventMapper, objectName }) => `${eventMapper.installationId} ${objectName}`)
  return [...byObject.values()].flatMap((some) => {
    const [{ eventMapper, objectName } = { eventMapper: undefined, objectName: '' }] = some
    const target = eventMapper?.targetOf(objectName)
    if (!eventMapper || !target) return []
    return cutDataMessages(
      target.header,
      some.map(({ json }) => json),
      { messageBytesMax },
    ).map((message) => ({
      ...message,
      destinationName: target.destination,
      kind: 'subscribe' as const,
      installationId: eventMapper.installationId,
      objectName,
    }))
  })
}
