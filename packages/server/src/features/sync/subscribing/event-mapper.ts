import {
  type Connector,
  type EventKind,
  embeddedRecords,
  eventNamesOf,
  eventSourceOf,
  linkedRecords,
  type ProviderRecord,
  recordIn,
} from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import {
  effectiveReadObjects,
  findInstallation,
  type InstallationRecord,
} from '../../integrations/installations/index.ts'
import type { DataMessageHeader } from '../../messaging/messages/index.ts'
import { classifyFailure, openConnector } from '../../provider-calls/calls/index.ts'
import { recordEntry, type Selection, wantedFields } from '../reading/index.ts'
import { type EffectiveSubscribeObject, effectiveSubscribeObjects, meaningOf } from './effective-subscribe.ts'
import type { WaitingEvent } from './inbound-store.ts'
import { ProviderBusy } from './provider-busy.ts'
import type { SubscribeServices } from './subscribe-services.ts'

/** An event whose record cannot be read for this long is delivered without one. */
const recordWaitMs = 24 * 3_600_000

const kinds = { create: 'create', update: 'update', delete: 'delete', association: 'associationUpdate' } as const

/** Maps events to the entries of one installation. */
export interface EventMapper {
  readonly installationId: string
  /** Announces the next events, so that their records are requested together. */
  expect(events: readonly WaitingEvent[]): void
  /** Returns the entries of an event, by object. @throws ProviderBusy */
  entriesOf(event: WaitingEvent): Promise<{ objectName: string; json: string }[]>
  /** Returns the objects that an event only says to have changed, as far as they are read on a schedule. */
  changedBy(event: WaitingEvent): string[]
  /** Returns the destination of an object's entries. */
  targetOf(objectName: string): { header: DataMessageHeader; destination: string } | undefined
}

/** Opens the event mapper of an installation. Undefined when it is deleted, or its connection cannot be used. */
export async function openEventMapper(
  db: ProjectDb,
  services: SubscribeServices,
  installationId: string,
  signal: AbortSignal,
): Promise<EventMapper | undefined> {
  const installation = await findInstallation(db, installationId)
  const source = eventSourceOf(services.catalogue.find(installation?.provider ?? ''), installation?.module)
  if (!installation || !source) return undefined
  const objects = effectiveSubscribeObjects(installation)
  const reads = effectiveReadObjects(installation)
  // Compiled once for all events.
  const names = new Map([...objects.keys()].map((name) => [name, eventNamesOf(source, name)]))
  const writerOf = memoize((read: Selection | undefined) => recordEntry(selectionOf(read)))
  const embeddedOf = memoize(({ read }: EffectiveSubscribeObject) => embeddedRecords(read ? wantedFields(read) : 'all'))
  let upcoming: readonly WaitingEvent[] = []
  const fetchRecord = createFetch(db, services, installation, { signal, expected: idsToRead })

  /** Returns the ids of an object's records that the next events need but do not contain. */
  function idsToRead(objectName: string): string[] {
    const object = objects.get(objectName)
    return upcoming.flatMap((event) => {
      if (!object || !source || event.recordId === null || (event.object !== null && event.object !== objectName))
        return []
      const meaning = meaningOf(names.get(object.objectName), object, event)
      if (meaning !== 'create' && meaning !== 'update') return []
      const isEmbedded = recordIn(source, objectName, JSON.parse(event.raw) as object) !== undefined
      return isEmbedded ? [] : [event.recordId]
    })
  }

  /** Returns the record of an event, from the event itself or from the provider. */
  async function record(object: EffectiveSubscribeObject, event: WaitingEvent, raw: object, kind: EventKind) {
    const { objectName, read } = object
    const bufferedBytes = source && recordIn(source, objectName, raw)
    if (bufferedBytes) return embeddedOf(object)(bufferedBytes)
    if (kind === 'delete' || event.recordId === null) return undefined
    const isLate = services.now().getTime() - event.createTime.getTime() > recordWaitMs
    return fetchRecord(objectName, event.recordId, read ? wantedFields(read) : 'all', isLate)
  }

  async function entryOf(
    object: EffectiveSubscribeObject,
    event: WaitingEvent,
    raw: Record<string, unknown>,
    meaning: EventKind | 'other',
  ): Promise<string> {
    const changed = {
      subscribeEventType: meaning === 'other' ? 'other' : kinds[meaning],
      providerEventType: event.name,
    }
    // Already JSON: serializing it again would take as long as everything else.
    const start = `${JSON.stringify(changed).slice(0, -1)},"rawEvent":${event.raw}`
    if (meaning === 'other') return `${start}}`
    const { recordId: id, fieldsUpdated } = event
    if (meaning === 'association') return withMore(start, await linked(object, raw, event))
    const found = await record(object, event, raw, meaning)
    const entry = found ? writerOf(object.read)(found) : '{"fields":{}}'
    const more = { ...(id !== null && { id }), ...(fieldsUpdated !== null && { fieldsUpdated }) }
    return `${entry.slice(0, -1)},${withMore(start, more).slice(1)}`
  }

  /** Returns the two records of an association, with all selected fields where requested. */
  async function linked(object: EffectiveSubscribeObject, raw: Record<string, unknown>, event: WaitingEvent) {
    const ends = source && linkedRecords(source, raw)
    if (!ends) return {}
    const isLate = services.now().getTime() - event.createTime.getTime() > recordWaitMs
    const side = async (name: string | undefined, id: string) => {
      if (name === undefined) return { id }
      const own = objects.get(name)
      const read = own ? own.read : reads.get(name)
      const named = { id, objectName: own?.shownName ?? read?.mapToName ?? name, rawObjectName: name }
      if (object.association === false || !object.association.includeFullRecords) return named
      const found = await fetchRecord(name, id, read ? wantedFields(read) : 'all', isLate)
      const entry = found && (JSON.parse(writerOf(read)(found)) as object)
      return { ...named, ...entry }
    }
    return { fromRecord: await side(object.objectName, ends.from), toRecord: await side(ends.toObject, ends.to) }
  }

  return {
    installationId,
    expect(events) {
      upcoming = events
    },
    async entriesOf(event) {
      const raw = JSON.parse(event.raw) as Record<string, unknown>
      const entries: { objectName: string; json: string }[] = []
      for (const object of objects.values()) {
        if (event.object !== null && event.object !== object.objectName) continue
        const meaning = meaningOf(names.get(object.objectName), object, event)
        if (meaning !== undefined && meaning !== 'changed')
          entries.push({ objectName: object.objectName, json: await entryOf(object, event, raw, meaning) })
      }
      return entries
    },
    changedBy(event) {
      return [...objects.values()].flatMap((object) => {
        const { objectName } = object
        if (event.object !== null && event.object !== objectName) return []
        const isChanged = meaningOf(names.get(objectName), object, event) === 'changed'
        return isChanged && reads.get(objectName)?.schedule !== undefined ? [objectName] : []
      })
    },
    targetOf(objectName) {
      const object = objects.get(objectName)
      return object && { destination: object.destination, header: headerOf(db.projectId, installation, object) }
    },
  }
}

/** Returns the text of an open object with further members and its end. */
function withMore(start: string, more: object): string {
  const members = JSON.stringify(more).slice(1)
  return members === '}' ? `${start}}` : `${start},${members}`
}

/** Memoizes a function. */
function memoize<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>()
  return (key) => {
    const known = made.get(key) ?? make(key)
    made.set(key, known)
    return known
  }
}

/** Without an inherited selection the records are delivered raw. */
function selectionOf(read: Selection | undefined): Selection {
  return read ?? { fields: [], mappings: [], valueMappings: {} }
}

function headerOf(
  projectId: string,
  installation: InstallationRecord,
  { objectName, shownName }: EffectiveSubscribeObject,
): DataMessageHeader {
  const workspace = installation.row.provider_workspace_ref
  return {
    action: 'subscribe',
    projectId,
    provider: installation.provider,
    groupRef: installation.groupRef,
    groupName: installation.groupName,
    consumerRef: installation.consumerRef,
    consumerName: installation.consumerName,
    installationId: installation.id,
    installationUpdateTime: (installation.updateTime ?? installation.createTime).toISOString(),
    objectName: shownName,
    rawObjectName: objectName,
    ...(workspace && { workspace }),
  }
}

/**
 * Reads records by their ids: each once per batch of events, and expected ones together where the provider supports it.
 * A record is undefined when it is deleted, access to it is denied, or the provider's file does not define how to read
 * it.
 */
function createFetch(
  db: ProjectDb,
  services: SubscribeServices,
  installation: InstallationRecord,
  { signal, expected }: { signal: AbortSignal; expected: (objectName: string) => string[] },
) {
  let opening: ReturnType<typeof openConnector> | undefined
  const known = new Map<string, Promise<ProviderRecord | undefined>>()
  const waiting = new Map<string, readonly string[]>()
  const read = new Map<string, Promise<Map<string, ProviderRecord>>>()
  // Set once the provider cannot be reached: this batch then sends no further requests.
  let busy: ProviderBusy | undefined
  const open = () => {
    opening ??= openConnector(db, services, installation.connectionId, {
      module: installation.module,
      isBackground: true,
      countedFor: { counts: services.counts, installationId: installation.id, objectName: '' },
    })
    return opening
  }
  /** Reads the record, together with as many of the expected ones as fit into the same request. */
  async function readOne(connector: Connector, objectName: string, id: string, wanted: 'all' | string[]) {
    const underWay = read.get(keyOf(objectName, id))
    if (underWay) return (await underWay).get(id)
    const size = connector.fetchSizeMax(objectName)
    if (size === 1) return connector.fetchRecord(objectName, id, wanted, { signal })
    const ids = waiting.get(objectName) ?? [...new Set(expected(objectName))]
    waiting.set(objectName, ids)
    const others = ids.filter((other) => other !== id && !read.has(keyOf(objectName, other)))
    const together = [id, ...others.slice(0, size - 1)]
    const reading = connector.fetchRecords(objectName, together, wanted, { signal })
    for (const one of together) read.set(keyOf(objectName, one), reading)
    return (await reading).get(id)
  }
  async function ask(objectName: string, id: string, wanted: 'all' | string[], isLate: boolean) {
    if (busy && !isLate) throw busy
    try {
      const { connector, connection } = await open()
      if (!connector.hasObject(objectName) || !connector.canFetch(objectName)) return undefined
      const record = await readOne(connector, objectName, id, wanted)
      await connection.succeeded()
      return record
    } catch (error) {
      signal.throwIfAborted()
      const failure = classifyFailure(error)
      if (failure.scope === 'service') throw error
      if (failure.connectionWaitMs !== undefined) await (await open()).connection.waitFor(failure.connectionWaitMs)
      if (failure.event === 'skip' || isLate) return undefined
      busy = new ProviderBusy(error, failure.retryAfterMs)
      throw busy
    }
  }
  return (objectName: string, id: string, wanted: 'all' | string[], isLate: boolean) => {
    const key = keyOf(objectName, id)
    const asked = known.get(key) ?? ask(objectName, id, wanted, isLate)
    known.set(key, asked)
    return asked
  }
}

function keyOf(objectName: string, id: string): string {
  return `${objectName}\n${id}`
}
