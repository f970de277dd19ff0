import type { Webhooks } from '../../catalogue/format/webhooks.ts'
import { filledText } from './fill.ts'
import { fitted, isJson, type Json, namesOf, unfitted, valueAt, withValue } from './json-paths.ts'

/** An event that a file maps to an object. */
export interface WantedEvent {
  object: string
  kind: string
  /** The provider's name of it. */
  name: string
}

/** What a provider sends, before it is signed. */
export interface Payload {
  body: unknown
  /** Headers by lowercase name. */
  headers: Record<string, string>
}

/** An event as a provider sends it, and what Mortise must read in it. */
export interface SentEvent extends Payload {
  expected: { name: string; id?: string; object?: string; account?: string; key?: string; hasTime: boolean }
  /** Whether the file says where the record is in the event. */
  hasRecord: boolean
}

/** Where values of an event are put: in it, in what contains it, in the payload, or in a header. */
interface Parts {
  event: unknown
  outer: unknown
  payload: unknown
  headers: Record<string, string>
  /** Of the lists that events are split by, the one that this event is in. Others have nothing. */
  split: string | undefined
  /** All of these lists. */
  splits: readonly string[]
}

const time = '2026-01-02T00:00:00Z'
const kinds = ['create', 'update', 'delete', 'association', 'changed'] as const

/** Returns each event that a file lists for its objects. */
export function wantedEvents({ objects = {}, otherObjects, event }: Webhooks): WantedEvent[] {
  const unlisted = Object.values(event.object?.map ?? {}).find((name) => !Object.hasOwn(objects, name)) ?? 'things'
  const all = [...Object.entries(objects), ...(otherObjects ? [[unlisted, otherObjects] as const] : [])]
  const wanted = all.flatMap(([object, events]) =>
    kinds.flatMap((kind) =>
      (events[kind] ?? []).map((text) => ({ object, kind, name: filledText(text, { object }) ?? text })),
    ),
  )
  // Where no event has a name, further names are for the registration.
  const { named } = event
  return named === undefined ? wanted : wanted.filter(({ name }) => name === named || name.startsWith(`${named}.`))
}

/** Returns the payload with an event, each part where the file says. */
export function sentEvent(webhooks: Webhooks, wanted: WantedEvent): SentEvent {
  const { event, account } = webhooks
  const declared = webhooks.objects?.[wanted.object] ?? webhooks.otherObjects ?? {}
  const splits = event.split ?? []
  const parts: Parts = { event: {}, outer: {}, payload: {}, headers: {}, split: undefined, splits }
  const name = sentName(webhooks, wanted, parts)
  const isMerged = isMerge(webhooks, wanted)
  const ids = declared.id ?? event.id ?? []
  parts.split = [...usedNames(event.name, name), declared.record ?? event.record ?? '', ...[ids[0] ?? []].flat()]
    .map((location) => splitOf(parts, location))
    .find((split) => split !== undefined)
  const own = ids.find((locations) => [locations].flat().every((location) => isInSplit(parts, location)))
  const id = own === undefined || wanted.kind === 'changed' ? undefined : putId(parts, own)
  const objectKey = Object.entries(event.object?.map ?? {}).find(([, object]) => object === wanted.object)?.[0]
  if (objectKey !== undefined) put(parts, [event.object?.path ?? ''].flat()[0] ?? '', objectKey)
  const record = declared.record ?? event.record
  const hasRecord = record !== undefined && isInSplit(parts, record)
  if (hasRecord && !isJson(valueAt(parts.event, record))) put(parts, record, { note: 'sample' })
  if (account !== undefined) putIfAbsent(parts, account.at, 'sample-account')
  if (event.time !== undefined) putIfAbsent(parts, event.time, time)
  if (event.fieldsUpdated !== undefined) putIfAbsent(parts, event.fieldsUpdated, ['note'])
  putName(parts, event.name, name)
  for (const [at, location] of (event.key ?? []).entries()) putIfAbsent(parts, location, `sample-key-${at}`)
  const key = (event.key ?? []).map((location) => String(found(parts, location)))
  return {
    body: composed(webhooks, parts),
    headers: parts.headers,
    hasRecord,
    expected: {
      name: wanted.name,
      ...(id !== undefined && { id: isMerged ? merge : (filledText(declared.idAs ?? '{{id}}', { id }) ?? id) }),
      ...(objectKey !== undefined && { object: wanted.object }),
      ...(account !== undefined && { account: String(found(parts, account.at)) }),
      ...(key.length > 0 && !isMerged && { key: key.join('\n') }),
      hasTime: event.time !== undefined && found(parts, event.time) !== undefined,
    },
  }
}

/** The name as the provider sends it: a variant and a merge have the name of another event. */
function sentName(webhooks: Webhooks, wanted: WantedEvent, parts: Parts): string {
  const { variants = [], merged = [] } = webhooks.event
  const { name } = wanted
  const variant = variants.find(({ of, as }) => of.some((one) => name === `${one}.${as}`))
  if (variant !== undefined) {
    parts.event = fitted(parts.event, variant.when as Json)
    return name.slice(0, -variant.as.length - 1)
  }
  for (const { of, when } of variants) if (of.includes(name)) parts.event = unfitted(parts.event, when as Json)
  if (!isMerge(webhooks, wanted)) return name
  put(parts, merged[0] ?? '', merge)
  return name.slice(0, -'.merged'.length)
}

/** The id of a record that a merge removed. */
const merge = 'sample-merged'

function isMerge({ event }: Webhooks, { name }: WantedEvent): boolean {
  return event.merged !== undefined && name.endsWith('.merged')
}

/** The locations that a name takes. */
function usedNames(locations: string | readonly string[] | undefined, name: string): string[] {
  return [locations ?? []].flat().slice(0, name.split('.').length)
}

function splitOf({ splits }: Parts, location: string): string | undefined {
  return splits.find((path) => location === path || location.startsWith(`${path}.`))
}

function isInSplit(parts: Parts, location: string): boolean {
  const split = splitOf(parts, location)
  return split === undefined || split === parts.split
}

function putId(parts: Parts, locations: string | string[]): string {
  if (typeof locations === 'string') {
    putIfAbsent(parts, locations, 'sample-id')
    return String(found(parts, locations))
  }
  for (const [at, location] of locations.entries()) putIfAbsent(parts, location, `part ${at}`)
  return locations.map((location) => encodeURIComponent(String(found(parts, location)))).join('/')
}

/** Parts of the name, of which the last has the rest: a provider may leave out the last locations. */
function putName(parts: Parts, locations: string | readonly string[] | undefined, name: string): void {
  if (locations === undefined) return
  const at = [locations].flat()
  const texts = name.split('.')
  for (const [index, location] of at.entries()) {
    const rest = index === at.length - 1 ? texts.slice(index).join('.') : texts[index]
    if (rest !== undefined && rest !== '') put(parts, location, rest)
  }
}

/** Which of the parts a location is in, and the path there. */
function placeOf(location: string): { part: 'event' | 'outer' | 'payload' | 'header'; path: string } {
  const [, part, path] = /^(outer|payload|header):(.*)$/.exec(location) ?? []
  return part === undefined ? { part: 'event', path: location } : { part: part as 'outer', path: path ?? '' }
}

function put(parts: Parts, location: string, value: unknown): void {
  const { part, path } = placeOf(location)
  if (part === 'header') parts.headers[path.toLowerCase()] = String(value)
  else if (path !== '') parts[part] = withValue(parts[part], path, value)
}

function putIfAbsent(parts: Parts, location: string, value: unknown): void {
  if (isInSplit(parts, location) && found(parts, location) === undefined) put(parts, location, value)
}

function found(parts: Parts, location: string): unknown {
  const { part, path } = placeOf(location)
  return part === 'header' ? parts.headers[path.toLowerCase()] : valueAt(parts[part], path)
}

function composed({ event: { list = '', textsAs, encoded, encodedAs } }: Webhooks, parts: Parts): unknown {
  const lists = [list].flat().filter((path) => path !== '')
  let made = textsAs === undefined ? parts.event : (valueAt(parts.event, textsAs) ?? 'sample-text')
  for (const [depth, path] of [...lists.entries()].toReversed()) {
    const around = depth === 0 ? parts.payload : parts.outer
    made = withValue(around, path, [made])
  }
  if (lists.length === 0 && isJson(made)) made = merged(made, parts.payload as Json)
  if (encoded === undefined) return made
  const text = JSON.stringify(made)
  return withValue({}, encoded, encodedAs === 'json' ? text : Buffer.from(text).toString('base64'))
}

/** Both objects as one, where no value is in both. */
function merged(one: Json, other: Json): Json {
  const made: Json = { ...one }
  for (const [key, value] of Object.entries(other)) {
    const own = made[key]
    made[key] = isJson(own) && isJson(value) && !Array.isArray(value) ? merged(own, value) : value
  }
  return made
}

/** Returns the payload with a value of another type at each location of the name; undefined if a header has it. */
export function withNameAs({ event }: Webhooks, { body }: Payload, value: unknown): unknown {
  const locations = [event.name ?? []].flat()
  if (locations.length === 0 || event.encoded !== undefined) return undefined
  if (locations.some((location) => placeOf(location).part !== 'event')) return undefined
  const lists = [event.list ?? ''].flat().flatMap((path) => (path === '' ? [] : [...namesOf(path), '0']))
  let made = body
  for (const location of locations) {
    const path = [...lists, ...namesOf(location)].map((name) => `['${name.replaceAll(/[\\']/g, '\\$&')}']`).join('')
    made = withValue(made, `$${path}`, value)
  }
  return made
}
