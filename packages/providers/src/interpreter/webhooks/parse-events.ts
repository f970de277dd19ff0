import type { EventParts, EventSource, Webhooks } from '../../catalogue/format/webhooks.ts'
import type { ProviderRecord } from '../../connector.ts'
import { compileFields } from '../fields.ts'
import { compileMatch, type Matcher } from '../match.ts'
import { compilePath, isObject, scalarText } from '../path.ts'
import { joinedId } from '../record-id.ts'
import { parseTemplate, render, type Template, textVariables } from '../template.ts'
import { compileEventList, type ListedEvent } from './event-list.ts'
import { eventNamesOf, eventsOf, listedEvents, objectReader } from './event-names.ts'

/** What a provider says has happened, before Mortise knows which subscriptions it concerns. */
export interface ProviderEvent {
  /** The provider's name for it. */
  name: string
  /** Id of the record. */
  id?: string
  /** The object of the record, where the event says so. */
  object?: string
  time?: Date
  /** The same whenever the provider sends this event again. */
  key?: string
  fieldsUpdated?: string[]
  /** What names the account, where one URL serves all accounts. */
  account?: string
  raw: Record<string, unknown>
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>
/** @param outer the items that contain the event, the innermost first */
export type ValueReader = (event: unknown, payload: unknown, headers: Headers, outer?: readonly unknown[]) => unknown

interface Plan {
  /** Returns the JSON that a text of the payload holds, or the payload. */
  decode: (payload: unknown) => unknown
  list: (payload: unknown) => ListedEvent[]
  name: ValueReader
  variants: { of: string[]; fits: Matcher; as: string }[]
  /** Whether all events of records have one name: what names no record is then none. */
  isNamed: boolean
  id: ValueReader[]
  /** Where the id is in events of that name, if elsewhere. */
  idIn: ReadonlyMap<string, ValueReader[]>
  /** How ids of events of that name are written by reads, if otherwise. */
  idAs: ReadonlyMap<string, Template>
  object: ((event: unknown) => string | undefined) | undefined
  /** Names that events of several objects have: without its object, such an event is about none. */
  shared: ReadonlySet<string>
  time: ValueReader | undefined
  key: ValueReader[]
  fieldsUpdated: ((event: unknown) => unknown) | undefined
  /** Ids, or lists of ids, of the records that a merge took part in. */
  merged: ((event: unknown) => unknown)[]
  account: ValueReader | undefined
}

const plans = new WeakMap<Webhooks, Plan>()

function planOf(webhooks: Webhooks): Plan {
  const known = plans.get(webhooks)
  if (known !== undefined) return known
  const { event, account } = webhooks
  const plan: Plan = {
    decode: compileDecode(event),
    list: compileEventList(event),
    name: event.name === undefined ? () => event.named : compileLocations(event.name, nameOf),
    variants: (event.variants ?? []).map(({ of, when, as }) => ({ of, fits: compileMatch(when), as })),
    isNamed: event.name === undefined && event.id !== undefined,
    id: (event.id ?? []).map((locations) => compileLocations(locations, joinedId)),
    idIn: idsByEvent(webhooks),
    idAs: idTemplates(webhooks),
    object: event.object && objectReader(event.object),
    shared: event.object ? sharedNames(webhooks) : new Set(),
    time: optionalLocation(event.time),
    key: (event.key ?? []).map(compileLocation),
    fieldsUpdated: event.fieldsUpdated === undefined ? undefined : compilePath(event.fieldsUpdated),
    merged: (event.merged ?? []).map((path) => compilePath(path)),
    account: optionalLocation(account?.at),
  }
  plans.set(webhooks, plan)
  return plan
}

/** Returns the events of a payload. Ignores values without a name, and values that are not objects. */
export function parseEvents(webhooks: Webhooks, received: unknown, headers: Headers): ProviderEvent[] {
  const plan = planOf(webhooks)
  const payload = plan.decode(received)
  return plan.list(payload).flatMap(({ raw, outer }): ProviderEvent[] => {
    const sent = scalarText(plan.name(raw, payload, headers, outer))
    if (!isObject(raw) || sent === undefined || sent === '') return []
    const variant = plan.variants.find(({ of, fits }) => of.includes(sent) && fits(raw))
    const name = variant === undefined ? sent : `${sent}.${variant.as}`
    const at = (location: ValueReader | undefined) => scalarText(location?.(raw, payload, headers, outer))
    const idText = (plan.idIn.get(name) ?? plan.id).map(at).find((text) => text !== undefined && text !== '')
    const id = asRead(idText, plan.idAs.get(name))
    if (plan.isNamed && id === undefined) return []
    const object = plan.object?.(raw)
    if (object === undefined && plan.shared.has(name)) return []
    const time = instantOf(plan.time?.(raw, payload, headers, outer))
    const key = plan.key.map(at)
    const account = at(plan.account)
    const fieldsUpdated = namesIn(plan.fieldsUpdated?.(raw))
    const parsed: ProviderEvent = {
      name,
      raw,
      ...(id !== undefined && { id }),
      ...(object !== undefined && { object }),
      ...(time && { time }),
      ...(key.length > 0 && !key.includes(undefined) && { key: key.join('\n') }),
      ...(account !== undefined && { account }),
      ...(fieldsUpdated && { fieldsUpdated }),
    }
    return [parsed, ...mergedAway(plan, parsed)]
  })
}

/** The events of the records that a merge removed: each like the event of the merge, as `NAME.merged`. */
function mergedAway({ merged }: Plan, event: ProviderEvent): ProviderEvent[] {
  const named = merged.flatMap((read) => read(event.raw)).flatMap((id) => scalarText(id) ?? [])
  const ids = [...new Set(named)].filter((id) => id !== '' && id !== event.id)
  return ids.map((id) => ({
    ...event,
    name: `${event.name}.merged`,
    id,
    ...(event.key !== undefined && { key: `${event.key}\n${id}` }),
  }))
}

/** Compiles what reads the JSON in a text of the payload; undefined where the text is none. */
function compileDecode({ encoded, encodedAs = 'base64' }: EventParts): Plan['decode'] {
  if (encoded === undefined) return (payload) => payload
  const read = compilePath(encoded)
  return (payload) => {
    const text = read(payload)
    if (typeof text !== 'string') return undefined
    try {
      return JSON.parse(encodedAs === 'json' ? text : Buffer.from(text, 'base64').toString('utf8'))
    } catch {
      return undefined
    }
  }
}

/** The record that an event of the object holds whole. */
export function recordIn(webhooks: EventSource, object: string, event: unknown): Record<string, unknown> | undefined {
  const own = eventsOf(webhooks, object)
  const parts: { record?: string } = own?.record === undefined ? webhooks.event : own
  if (parts.record === undefined) return undefined
  const read = recordPaths.get(parts) ?? compilePath(parts.record)
  recordPaths.set(parts, read)
  const found = read(event)
  return isObject(found) ? found : undefined
}

const recordPaths = new WeakMap<object, (event: unknown) => unknown>()

/** Compiles what makes of a record that an event holds one as a connector answers it. */
export function embeddedRecords(wanted: 'all' | readonly string[]): (raw: Record<string, unknown>) => ProviderRecord {
  const fieldsOf = compileFields(wanted, [])
  return (raw) => ({ fields: fieldsOf(raw), raw })
}

function optionalLocation(location: string | undefined): ValueReader | undefined {
  return location === undefined ? undefined : compileLocation(location)
}

/** The id as reads write it. */
function asRead(id: string | undefined, written: Template | undefined): string | undefined {
  if (id === undefined || written === undefined) return id
  return render(
    written,
    textVariables((name) => (name === 'id' ? id : undefined)),
  )
}

/** How ids are written by reads, by the names of the events of the objects where events write them otherwise. */
function idTemplates(webhooks: Webhooks): Map<string, Template> {
  return new Map(
    Object.entries(webhooks.objects ?? {}).flatMap(([object, { idAs }]) => {
      const names = idAs === undefined ? [] : Object.values(eventNamesOf(webhooks, object) ?? {}).flat()
      return names.map((name): [string, Template] => [name, parseTemplate(idAs ?? '')])
    }),
  )
}

/** Names of events that several objects have. Those of `otherObjects` may be anything's. */
function sharedNames({ objects = {}, otherObjects }: Webhooks): Set<string> {
  const others = otherObjects ? listedEvents(otherObjects) : []
  const all = Object.values(objects).flatMap(listedEvents)
  return new Set([...others, ...all.filter((name, at) => all.indexOf(name) !== at)])
}

/** Ids that stand elsewhere in the events of some objects, by the names of the events. */
function idsByEvent({ objects = {} }: Webhooks): Map<string, ValueReader[]> {
  const ids = new Map<string, ValueReader[]>()
  for (const { id, create = [], update = [], delete: gone = [] } of Object.values(objects))
    for (const name of id === undefined ? [] : [...create, ...update, ...gone])
      ids.set(name, id?.map((locations) => compileLocations(locations, joinedId)) ?? [])
  return ids
}

function compileLocations(locations: string | string[], join: (values: unknown[]) => string | undefined): ValueReader {
  if (typeof locations === 'string') return compileLocation(locations)
  const readers = locations.map(compileLocation)
  return (event, payload, headers, outer) => join(readers.map((read) => read(event, payload, headers, outer)))
}

function nameOf(parts: readonly unknown[]): string {
  return parts.flatMap((part) => scalarText(part) || []).join('.')
}

export function compileLocation(location: string): ValueReader {
  if (location.startsWith('header:')) {
    const name = location.slice('header:'.length).toLowerCase()
    return (_, __, headers) => {
      const value = Object.hasOwn(headers, name) ? headers[name] : undefined
      return Array.isArray(value) ? value[0] : value
    }
  }
  if (location.startsWith('payload:')) {
    const read = compilePath(location.slice('payload:'.length))
    return (_, payload) => read(payload)
  }
  if (location.startsWith('outer:')) {
    const read = compilePath(location.slice('outer:'.length))
    return (_, __, ___, outer = []) => outer.map(read).find((value) => value !== undefined && value !== null)
  }
  return compilePath(location)
}

/** RFC 3339, or seconds or milliseconds since 1970: they are a thousand times apart, so none is taken for the other. */
export function instantOf(value: unknown): Date | undefined {
  const text = scalarText(value)
  if (text === undefined || text.trim() === '') return undefined
  const number = Number(text)
  const ms = Number.isNaN(number) ? Date.parse(text) : Math.abs(number) < 100_000_000_000 ? number * 1_000 : number
  const time = new Date(ms)
  const year = Number.isNaN(time.getTime()) ? 0 : time.getUTCFullYear()
  return year >= 1970 && year <= 9999 ? time : undefined
}

function namesIn(value: unknown): string[] | undefined {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => scalarText(item) ?? [])
  if (isObject(value)) return Object.keys(value)
  const one = scalarText(value)
  return one === undefined ? undefined : [one]
}
