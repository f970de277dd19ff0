import { type EventStream, readStreamEvent, type StreamEvent } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Lease } from '../../../../kernel/work/index.ts'
import type { InstallationRecord } from '../../../integrations/installations/index.ts'
import { cleanText, eventKey } from '../event-text.ts'
import { type InboundEvent, insertEvents } from '../inbound-store.ts'
import { deliverEvents } from '../job-references.ts'
import { readMissed } from '../read-missed.ts'
import type { SubscribeServices } from '../subscribe-services.ts'
import { type EventDecoder, EventUndecodable } from './avro-decoder.ts'
import type { FetchResponse, SentEvent } from './pub-sub-client.ts'
import { type StreamRow, withPosition } from './stream-store.ts'

/** What a stream of one object belongs to. */
export interface StreamContext {
  db: ProjectDb
  services: SubscribeServices
  lease: Lease<StreamRow>
  installation: InstallationRecord
  stream: EventStream
  objectName: string
  decoderOf(schemaId: string, signal: AbortSignal): Promise<EventDecoder>
}

/**
 * Stores the events of a response, and the position after them, in one transaction. What cannot be decoded, and what
 * the provider did not send, is read instead.
 *
 * @param isGap whether changes before this response may be missing
 * @throws LeaseLost if another node follows the stream now; nothing is stored then
 */
export async function storeResponse(
  context: StreamContext,
  response: FetchResponse,
  { isGap, signal }: { isGap: boolean; signal: AbortSignal },
): Promise<void> {
  const { db, services, lease, installation, objectName } = context
  const { id: installationId, integrationId } = installation
  const { events, isMissed, undecodable } = await eventsOf(context, response, signal)
  const newEvents = await db.transaction(async (tx) => {
    await lease.advance(tx, withPosition(objectName, response.position.toString('base64')))
    const inserted = await insertEvents(tx, events, services.now())
    if (isGap || isMissed) await readMissed(tx, services, installation, objectName)
    if (inserted.length > 0) {
      const queue = { projectId: db.projectId, integrationId, installationId }
      await services.queue.enqueueAll(tx, deliverEvents, [{ data: queue, key: installationId }])
    }
    return inserted.length
  })
  if (response.events.length === 0) return
  services.metrics.inboundEvents.inc({ provider: installation.provider }, response.events.length)
  services.providerEvents.add({
    projectId: db.projectId,
    outcome: undecodable > 0 ? 'malformed' : newEvents === 0 && events.length > 0 ? 'duplicate' : 'accepted',
    ...(undecodable > 0 && { reason: 'Mortise cannot decode some of the events. It reads the object instead.' }),
    provider: installation.provider,
    integrationId,
    installationId,
    objectName,
    eventName: events[0]?.name,
    requests: 1,
    events: response.events.length,
    newEvents,
    bytes: response.events.reduce((sum, { payload }) => sum + payload.length, 0),
  })
}

/** Decodes the events of a response: one for each record that one names. */
async function eventsOf(context: StreamContext, { events }: FetchResponse, signal: AbortSignal) {
  const stored: InboundEvent[] = []
  let isMissed = false
  let undecodable = 0
  for (const sent of events) {
    const event = await decoded(context, sent, signal)
    if (event) stored.push(...inboundEvents(context, sent, event))
    else undecodable++
    if (!event || event.isMissed) isMissed = true
  }
  return { events: stored, isMissed, undecodable }
}

async function decoded(
  { services, db, stream, installation, objectName, decoderOf }: StreamContext,
  { schemaId, payload }: SentEvent,
  signal: AbortSignal,
): Promise<StreamEvent | undefined> {
  try {
    const decode = await decoderOf(schemaId, signal)
    return readStreamEvent(stream, decode(payload))
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error
    const of = { projectId: db.projectId, installationId: installation.id, objectName }
    services.log.warn({ err: error, ...of }, 'failed to decode an event of a stream; its object is read')
    return undefined
  }
}

function inboundEvents(
  { services, installation, objectName }: StreamContext,
  { replayId }: SentEvent,
  { name, records, time, fieldsUpdated }: StreamEvent,
): InboundEvent[] {
  return records.map(({ id, raw }) => ({
    id: services.newId(),
    integrationId: installation.integrationId,
    installationId: installation.id,
    account: undefined,
    object: objectName,
    name: cleanText(name),
    recordId: cleanText(id),
    time,
    fieldsUpdated: fieldsUpdated?.map(cleanText),
    raw: JSON.stringify(raw),
    key: eventKey(objectName, name, replayId.toString('base64'), id),
  }))
}
