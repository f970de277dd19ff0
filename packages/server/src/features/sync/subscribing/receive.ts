import {
  type Catalogue,
  type HandshakeReply,
  handshakeReply,
  handshakeSecret,
  hasUnsignedHandshake,
  type InboundRequest,
  isCertified,
  lifecycleOf,
  nonceOf,
  parseBody,
  parseEvents,
  removeSecret,
  sendsHandshakeSecret,
  verifyRequest,
} from '@mortise/providers'
import { type Database, isId, type NewId } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { PubSub } from '../../../kernel/pubsub/index.ts'
import type { Logger, Metrics } from '../../../kernel/telemetry/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { keepHandshakeSecretOfApp } from '../../integrations/provider-apps/index.ts'
import type { ProviderEventLog } from '../provider-events/index.ts'
import { type BatchWriter, createBatchWriter } from './batch-writer.ts'
import { type Certificates, createCertificates } from './certificates.ts'
import { confirmSubscription } from './confirm-subscription.ts'
import { cleanText, eventKey } from './event-text.ts'
import { followLifecycle } from './follow-lifecycle.ts'
import type { InboundEvent } from './inbound-store.ts'
import { EventMalformed, EventUnverified, SubscriptionNotFound } from './problems.ts'
import { type Received, receivedOf, refusedAs } from './received.ts'
import { createReceivers, type Receiver, type ReceiverName, type Receivers } from './receivers.ts'

export const bodyBytesMax = 1_024 * 1_024
/** More events in one body than any provider sends. A larger body is an attack. */
const eventsMax = 5_000

/** Events that are parts of one have copies of what they share. */
const rawLengthMax = 16 * bodyBytesMax

type ReceiveServices = {
  database: Database
  keyring: Keyring
  catalogue: Catalogue
  queue: JobQueue
  now: () => Date
  newId: NewId
  publicUrl: string
  metrics: Metrics
  log: Logger
  pubsub: PubSub
  providerEvents: ProviderEventLog
  outbound: Outbound
  work: Work
}

type ReceivedRequest = Pick<InboundRequest, 'url' | 'headers' | 'body'>

/** The response to events: providers expect nothing in it. */
const done: HandshakeReply = { text: '' }

/** The receivers and the batch writer of this node, created once per database. */
const nodes = new WeakMap<Database, { receivers: Receivers; certificates: Certificates; batchWriter: BatchWriter }>()

function nodeOf(services: ReceiveServices) {
  const known = nodes.get(services.database)
  if (known) return known
  const made = {
    receivers: createReceivers(services),
    certificates: createCertificates(services),
    batchWriter: createBatchWriter(services),
  }
  nodes.set(services.database, made)
  return made
}

/**
 * Receives a request of a provider. Verifies the signature before it reads anything else, and responds after the events
 * are committed. Returns the response body that the provider expects.
 *
 * A provider that generates the signing secret sends it before it signs anything. Only this secret is accepted
 * unsigned: the builder who manages the app compares it with the one at the provider.
 *
 * @throws SubscriptionNotFound, EventUnverified, EventMalformed, CertificateUnavailable, SubscriptionUnconfirmed,
 *   InboundBusy
 */
export async function receive(
  services: ReceiveServices,
  named: ReceiverName,
  request: ReceivedRequest,
): Promise<HandshakeReply> {
  if (!isId(named.projectId)) throw new SubscriptionNotFound()
  const name = { ...named, ...(named.installationId && { installationId: named.installationId.toLowerCase() }) }
  const received = receivedOf(named.projectId, request.body)
  try {
    return await receiveFrom(services, name, request, received)
  } catch (error) {
    refusedAs(received, error)
    throw error
  } finally {
    services.providerEvents.add(received)
  }
}

/** Stores the events of a request, and notes in `received` what it was. */
async function receiveFrom(
  services: ReceiveServices,
  name: ReceiverName,
  { url, headers, body }: ReceivedRequest,
  received: Received,
): Promise<HandshakeReply> {
  const { receivers, certificates, batchWriter } = nodeOf(services)
  const request: InboundRequest = { method: 'POST', url: `${services.publicUrl}${url}`, headers, body }
  const registrationId = registrationIn(url)
  const reply = await unsignedReply(receivers, name, request, received)
  if (reply !== undefined) return reply
  if (await keepHandshakeSecret(services, receivers, name, request, received)) return done
  const receiver = await findVerifiedReceiver(
    services,
    { receivers, certificates },
    name,
    request,
    registrationId,
    received,
  )

  const { value: payload, isJson } = parseBody(request)
  if (payload === undefined) throw new EventMalformed()
  const answer = await signedReply(services, receiver, request, registrationId)
  if (answer !== undefined) {
    received.outcome = 'handshake'
    return answer
  }
  if (await confirmSubscription(services, receiver.webhooks, payload)) {
    received.outcome = 'handshake'
    return done
  }
  const object = registrationId === undefined ? undefined : receiver.objects.get(registrationId)
  const { installationId } = receiver
  const lifecycle = lifecycleOf(receiver.webhooks, payload, headers)
  if (lifecycle.size > 0 && installationId !== undefined) {
    const registration = registrationId !== undefined && isId(registrationId) ? registrationId : undefined
    const of = { projectId: name.projectId, installationId, registrationId: registration, objectName: object }
    await followLifecycle(services, of, lifecycle)
  }
  const hadSecret = removeSecret(receiver.webhooks.verify, payload)
  const text = isJson && !hadSecret ? body.toString('utf8') : undefined
  const parsed = parseEvents(receiver.webhooks, payload, headers)
  // Reject the whole request: accepting some of the events and responding with success would lose the others.
  if (parsed.length > eventsMax) throw new EventMalformed({ detail: `The body holds more than ${eventsMax} events.` })
  const nonce = nonceOf(receiver.webhooks.verify, request)
  let rawLength = 0
  const events = parsed.map((event, index): InboundEvent => {
    // A body that is one event, on one line, is stored as received.
    const isOneLine = event.raw === payload && text !== undefined && !text.includes('\n')
    const raw = isOneLine ? text : JSON.stringify(event.raw)
    rawLength += raw.length
    if (rawLength > rawLengthMax) throw new EventMalformed({ detail: 'The events of the body are too large.' })
    return {
      id: services.newId(),
      integrationId: receiver.integrationId,
      installationId: receiver.installationId,
      account: cleanText(event.account),
      object: object ?? cleanText(event.object),
      name: cleanText(event.name),
      recordId: cleanText(event.id),
      time: event.time,
      fieldsUpdated: event.fieldsUpdated?.map(cleanText),
      raw,
      key:
        nonce === undefined
          ? eventKey(registrationId, event.account, event.name, event.key ?? contentKey(receiver, services, event.raw))
          : eventKey('nonce', nonce, `${index}`),
    }
  })
  const [first] = events
  const eventName = first?.name ?? [...lifecycle].join()
  Object.assign(received, { events: events.length, objectName: first?.object, ...(eventName && { eventName }) })
  if (first) received.newEvents = await batchWriter.store(name.projectId, events)
  if (first && received.newEvents === 0) received.outcome = 'duplicate'
  services.metrics.inboundEvents.inc({ provider: receiver.provider }, events.length)
  return done
}

/** Returns the key of an event that has none: its content, or a new one where equal events are different ones. */
function contentKey({ webhooks }: Receiver, { newId }: { newId: NewId }, raw: object): string {
  return webhooks.event.keepRepeated ? newId() : JSON.stringify(raw)
}

/**
 * Responds to a request by GET or HEAD, which some providers send to check the URL. Nothing signs it, and it changes
 * nothing.
 *
 * @throws SubscriptionNotFound for a provider that sends none, so that nobody can find out which URLs exist
 */
export async function respondToCheck(
  services: ReceiveServices,
  named: ReceiverName,
  { url, headers }: Omit<ReceivedRequest, 'body'>,
): Promise<HandshakeReply> {
  if (!isId(named.projectId)) throw new SubscriptionNotFound()
  const name = { ...named, ...(named.installationId && { installationId: named.installationId.toLowerCase() }) }
  const receiver = await nodeOf(services).receivers.find(name)
  const request = { method: 'GET', url: `${services.publicUrl}${url}`, headers, body: Buffer.alloc(0) }
  const reply = receiver && handshakeReply(receiver.webhooks, request, undefined, receiver.tokens)
  if (reply === undefined) throw new SubscriptionNotFound()
  return reply
}

/** Returns the headers of a reply to a provider. */
export function replyHeaders({ type, headers }: HandshakeReply): Record<string, string> {
  return { ...headers, ...(type && { 'content-type': type }) }
}

/** Returns the response to an unsigned request that checks the URL; undefined for any other request. */
async function unsignedReply(
  receivers: Receivers,
  name: ReceiverName,
  request: InboundRequest,
  received: Received,
): Promise<HandshakeReply | undefined> {
  if (request.body.length > handshakeBytesMax) return undefined
  const receiver = await receivers.find(name)
  if (receiver === undefined || !hasUnsignedHandshake(receiver.webhooks, 'POST')) return undefined
  const reply = handshakeReply(receiver.webhooks, request, undefined, receiver.tokens)
  const { integrationId, installationId, provider } = receiver
  if (reply !== undefined) Object.assign(received, { outcome: 'handshake', integrationId, installationId, provider })
  return reply
}

/** A handshake contains a secret and little else. */
const handshakeBytesMax = 4_096

/** Whether the request contains a signing secret for later events. If so, the secret is stored. */
async function keepHandshakeSecret(
  services: ReceiveServices,
  receivers: Receivers,
  name: ReceiverName,
  request: InboundRequest,
  received: Received,
): Promise<boolean> {
  if (request.body.length > handshakeBytesMax) return false
  const receiver = await receivers.find(name)
  if (receiver === undefined || !sendsHandshakeSecret(receiver.webhooks)) return false
  const secret = handshakeSecret(receiver.webhooks, parseBody(request).value)
  if (secret === undefined) return false
  const { integrationId, installationId, provider } = receiver
  Object.assign(received, { outcome: 'handshake', integrationId, installationId, provider })
  await keepHandshakeSecretOfApp(services.database.forProject(name.projectId), services, { integrationId, secret })
  return true
}

/**
 * Returns the receiver if one of its secrets signed the request. Looks up the receiver again when none did, since it
 * may have been created or changed a moment ago.
 */
async function findVerifiedReceiver(
  { now }: { now: () => Date },
  { receivers, certificates }: { receivers: Receivers; certificates: Certificates },
  name: ReceiverName,
  request: InboundRequest,
  registrationId: string | undefined,
  received: Received,
): Promise<Receiver> {
  const isSignatureValid = async (receiver: Receiver): Promise<boolean> => {
    const { integrationId, installationId, provider } = receiver
    Object.assign(received, { integrationId, installationId, provider })
    const { verify } = receiver.webhooks
    const registration = receiver.providerIds.get(registrationId ?? '')
    const named: InboundRequest = { ...request, ...(registration !== undefined && { registration }) }
    const certified = isCertified(verify) ? await certificates.keyFor(verify, named) : undefined
    const keys = certified ? [certified] : receiver.keysOf(registrationId)
    return (await verifyRequest(verify, named, keys, now().getTime(), receiver.tokens)) === 'genuine'
  }
  const known = await receivers.find(name)
  if (known && (await isSignatureValid(known))) return known
  const again = await receivers.findAgain(name)
  if (again && (await isSignatureValid(again))) return again
  throw (again ?? known) ? new EventUnverified() : new SubscriptionNotFound()
}

/**
 * Returns the response to a verified request that checks the URL; undefined for any other request. The response may
 * have a text signed with the key that signed the request, so this key is determined where there are several.
 */
async function signedReply(
  { now }: { now: () => Date },
  { webhooks, keysOf }: Receiver,
  request: InboundRequest,
  registrationId: string | undefined,
): Promise<HandshakeReply | undefined> {
  const keys = keysOf(registrationId)
  const reply = handshakeReply(webhooks, request, keys)
  if (reply === undefined || keys.length <= 1) return reply
  for (const key of keys)
    if ((await verifyRequest(webhooks.verify, request, [key], now().getTime())) === 'genuine')
      return handshakeReply(webhooks, request, [key])
  return undefined
}

function registrationIn(url: string): string | undefined {
  const at = url.indexOf('?')
  return at === -1 ? undefined : (new URLSearchParams(url.slice(at)).get('registration') ?? undefined)
}

/** Waits for events in progress, and drops the secrets. */
export async function stopReceiving({ database }: { database: Database }): Promise<void> {
  const node = nodes.get(database)
  node?.receivers.stop()
  await node?.batchWriter.stop()
}
