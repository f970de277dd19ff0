import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import type { InstallationHooks } from '../../integrations/installations/index.ts'
import type { EndedRead, ReadHooks } from '../../sync/reading/index.ts'
import type { SubscriptionHooks } from '../../sync/subscribing/index.ts'
import type { WriteHooks } from '../../sync/writing/index.ts'
import type { DestinationHooks } from '../destinations/index.ts'
import { deadLettersEvent, findEndpoint } from '../destinations/index.ts'
import { type EmitServices, emit, type HappenedEvent } from './emit.ts'
import type { EventType } from './event-types.ts'
import { findConfigContent, type InstallationFacts, listConnectionFacts, listInstallationFacts } from './store.ts'

/** What has happened elsewhere, as events. Each runs inside the transaction of what happened. */
/** The changes that become events. */
type Hooks = ConnectionHooks & DestinationHooks & InstallationHooks & ReadHooks & SubscriptionHooks & WriteHooks

type Emit<H extends Exclude<keyof Hooks, 'followsNewConnection'>> = (
  tx: ProjectDb,
  services: EmitServices & { keyring: Keyring },
  change: Parameters<Hooks[H]>[1],
) => Promise<void>

/** An action of an agent that somebody approves. */
interface Approval {
  approvalId: string
  installationId: string
  toolName: string
  action: string
  objectName: string
}

/** The arguments stay out of the event: they are content of the customer's account. */
export async function approvalRequestedEvents(
  tx: ProjectDb,
  services: EmitServices,
  { installationId, expireTime, ...approval }: Approval & { expireTime: Date },
): Promise<void> {
  const type = 'approval.requested'
  await emit(tx, services, {
    types: [type],
    async events() {
      const [facts] = await listInstallationFacts(tx, [installationId])
      if (!facts) return []
      const data = { ...fieldsOf(tx, facts), ...approval, expireTime: expireTime.toISOString() }
      return [{ type, data, installationId }]
    },
  })
}

export async function approvalDecidedEvents(
  tx: ProjectDb,
  services: EmitServices,
  { installationId, ...decided }: Approval & { decision: 'approved' | 'refused'; decider: 'person' | 'user' },
): Promise<void> {
  const type = 'approval.decided'
  await emit(tx, services, {
    types: [type],
    async events() {
      const [facts] = await listInstallationFacts(tx, [installationId])
      return facts ? [{ type, data: { ...fieldsOf(tx, facts), ...decided }, installationId }] : []
    },
  })
}

export const connectionEvents: Emit<'connectionCreated'> = (tx, services, { connectionId, isNew }) =>
  emitConnection(tx, services, isNew ? 'connection.created' : 'connection.updated', connectionId)

export const connectionRefreshedEvents: Emit<'connectionRefreshed'> = (tx, services, { connectionId }) =>
  emitConnection(tx, services, 'connection.refreshed', connectionId)

export const connectionsDeletedEvents: Emit<'connectionsDeleting'> = (tx, services, { connectionIds }) =>
  emitConnections(tx, services, 'connection.deleted', connectionIds)

/** The error of a refused credential without a reason of the provider. */
const refused = 'The provider refused the credential.'

export const connectionStatusEvents: Emit<'connectionStatusChanged'> = async (tx, services, change) => {
  const { connectionId, from, to, error = refused } = change
  if (to !== 'bad_credentials' || from === to) return
  await emitConnection(tx, services, 'connection.error', connectionId, { errors: [error], error: [error] })
}

type ConnectionEvent = Extract<EventType, `connection.${string}`>

function emitConnection(
  tx: ProjectDb,
  services: EmitServices,
  type: ConnectionEvent,
  connectionId: string,
  more?: { errors: string[]; error: string[] },
): Promise<void> {
  return emitConnections(tx, services, type, [connectionId], more)
}

async function emitConnections(
  tx: ProjectDb,
  services: EmitServices,
  type: ConnectionEvent,
  connectionIds: string[],
  more?: { errors: string[]; error: string[] },
): Promise<void> {
  await emit(tx, services, {
    types: [type],
    async events() {
      const all = await listConnectionFacts(tx, connectionIds)
      return all.map((facts) => ({ type, data: { projectId: tx.projectId, ...facts, ...more } }))
    },
  })
}

export const installationEvents: Emit<'installationChanged'> = async (tx, services, change) => {
  const { installationId, kind, previousConfigId } = change
  const type = kind === 'created' ? 'installation.created' : 'installation.updated'
  await emit(tx, services, {
    types: [type],
    async events() {
      const [facts] = await listInstallationFacts(tx, [installationId])
      if (!facts) return []
      const { config } = facts
      const data = { ...fieldsOf(tx, facts), config }
      if (type === 'installation.created') return [{ type, data, installationId }]
      const last = previousConfigId === undefined ? undefined : await findConfigContent(tx, previousConfigId)
      return [{ type, data: { ...data, lastConfig: last ?? config }, installationId }]
    },
  })
}

export const installationsDeletedEvents: Emit<'installationsDeleting'> = async (tx, services, { installationIds }) => {
  if (installationIds.length === 0) return
  const type = 'installation.deleted'
  await emit(tx, services, {
    types: [type],
    async events() {
      const all = await listInstallationFacts(tx, installationIds)
      return all.map((facts) => ({
        type,
        data: { ...fieldsOf(tx, facts), config: facts.config },
        installationId: facts.installationId,
      }))
    },
  })
}

export const readEvents: Emit<'readsEnded'> = async (tx, services, ended) => {
  const reported = ended.map((read) => ({ type: typeOfRead(read), read }))
  await emit(tx, services, {
    types: reported.map(({ type }) => type),
    async events() {
      const facts = await factsById(
        tx,
        reported.map(({ read }) => read.installationId),
      )
      return reported.flatMap(({ type, read }): HappenedEvent[] => {
        const found = facts.get(read.installationId)
        if (!found) return []
        const { installationId, objectName } = read
        const data = { ...fieldsOf(tx, found), objectName }
        if (type === 'read.backfill.done') return [{ type, data, installationId }]
        const window = {
          ...(read.since && { fromTimestamp: read.since.toISOString() }),
          ...(read.until && { untilTimestamp: read.until.toISOString() }),
        }
        if (type === 'read.triggered.done') return [{ type, data: { ...data, ...window }, installationId }]
        const error = read.error === undefined ? {} : { error: read.error }
        if (type === 'read.backfill.error') return [{ type, data: { ...data, ...error }, installationId }]
        return [{ type, data: { ...data, ...window, ...error }, installationId }]
      })
    },
  })
}

type ReadEvent = 'read.triggered.done' | 'read.triggered.error' | 'read.backfill.done' | 'read.backfill.error'

function typeOfRead({ kind, outcome }: EndedRead): ReadEvent {
  if (kind === 'triggered') return outcome === 'success' ? 'read.triggered.done' : 'read.triggered.error'
  return outcome === 'success' ? 'read.backfill.done' : 'read.backfill.error'
}

/** Emits one event per installation, however many of its objects were paused together. */
export const readsPausedEvents: Emit<'readsPaused'> = async (tx, services, paused) => {
  if (paused.length === 0) return
  const type = 'read.schedule.paused' as const
  await emit(tx, services, {
    types: [type],
    async events() {
      const facts = await factsById(
        tx,
        paused.map(({ installationId }) => installationId),
      )
      return paused.flatMap(({ installationId, error }) => {
        const found = facts.get(installationId)
        if (!found) return []
        const data = { ...fieldsOf(tx, found), config: found.config, ...(error !== undefined && { error }) }
        return [{ type, data, installationId }]
      })
    },
  })
}

/** Emits one event for each write whose caller did not wait. */
export const writeEvents: Emit<'writesEnded'> = async (tx, services, ended) => {
  if (ended.length === 0) return
  const type = 'write.async.done' as const
  await emit(tx, services, {
    types: [type],
    async events() {
      const facts = await factsById(
        tx,
        ended.map(({ installationId }) => installationId),
      )
      return ended.flatMap(({ installationId, objectName, success, successfulRecordIds, errors }) => {
        const found = facts.get(installationId)
        if (!found) return []
        const lists = {
          ...(successfulRecordIds.length > 0 && { successfulRecordIds }),
          ...(errors.length > 0 && { errors }),
        }
        return [{ type, data: { ...fieldsOf(tx, found), objectName, success, ...lists }, installationId }]
      })
    },
  })
}

export const subscriptionEvents: Emit<'subscriptionsFailed'> = async (tx, services, failed) => {
  const type = 'subscribe.create.error' as const
  await emit(tx, services, {
    types: [type],
    async events() {
      const facts = await factsById(
        tx,
        failed.map(({ installationId }) => installationId),
      )
      return failed.flatMap(({ installationId, error }) => {
        const found = facts.get(installationId)
        return found ? [{ type, data: { ...fieldsOf(tx, found), error }, installationId }] : []
      })
    },
  })
}

/**
 * Emits an event when a destination is disabled, in the same transaction. Disabling a disabled destination emits
 * nothing.
 */
export const destinationEvents: Emit<'destinationChanged'> = async (tx, services, { destinationId, name, kind }) => {
  if (kind !== 'disabled') return
  const type = 'destination.webhook.disabled'
  await emit(tx, services, {
    types: [type],
    async events() {
      const url = await findEndpoint(tx, services, destinationId)
      if (url === undefined) return []
      return [
        { type, data: { projectId: tx.projectId, destinationId, destinationName: name, url }, except: destinationId },
      ]
    },
  })
}

/** Emits one event for each destination with new dead letters. */
export const deadLetterEvents: Emit<'deadLettersAdded'> = async (tx, services, added) => {
  const type = deadLettersEvent
  await emit(tx, services, {
    types: [type],
    events: async () =>
      added.map(({ destinationId, name, count }) => ({
        type,
        data: { projectId: tx.projectId, destinationId, destinationName: name, deadLetterCount: count },
        except: destinationId,
      })),
  })
}

async function factsById(tx: ProjectDb, installationIds: string[]): Promise<Map<string, InstallationFacts>> {
  const all = await listInstallationFacts(tx, [...new Set(installationIds)])
  return new Map(all.map((facts) => [facts.installationId, facts]))
}

function fieldsOf({ projectId }: ProjectDb, { config: _, ...fields }: InstallationFacts) {
  return { projectId, ...fields }
}
