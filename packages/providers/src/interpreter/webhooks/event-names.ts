import type { EventSource, ObjectEvents, Webhooks } from '../../catalogue/format/webhooks.ts'
import { compilePath, compilePaths, scalarText } from '../path.ts'
import { parseTemplate, render } from '../template.ts'

/** What happened to a record. */
export type EventKind = 'create' | 'update' | 'delete' | 'association'

const kinds = ['create', 'update', 'delete', 'association', 'changed'] as const

/**
 * Returns the provider's names of an object's events; `undefined` where it reports nothing of the object. `changed` are
 * those that do not say which record changed.
 */
export function eventNamesOf(
  webhooks: EventSource,
  object: string,
): Record<EventKind | 'changed', string[]> | undefined {
  const declared = eventsOf(webhooks, object)
  if (declared === undefined) return undefined
  const filled = (names: readonly string[] = []) =>
    names.flatMap((text) => render(parseTemplate(text), (name) => (name === 'object' ? object : undefined)) ?? [])
  return Object.fromEntries(kinds.map((kind) => [kind, filled(declared[kind])])) as Record<
    EventKind | 'changed',
    string[]
  >
}

/** The events that a file lists for an object, as it writes them; each once. */
export function listedEvents(events: ObjectEvents): string[] {
  return [...new Set(kinds.flatMap((kind) => events[kind] ?? []))]
}

export function eventsOf(webhooks: EventSource, object: string): ObjectEvents | undefined {
  const { objects = {}, otherObjects } = webhooks
  return Object.hasOwn(objects, object) ? objects[object] : otherObjects
}

/**
 * Returns the event that the provider sends: where `event.variants` or `event.merged` makes an event of another one,
 * that is the other one. A merge counts only if the object lists it, too.
 */
export function sentEvent(webhooks: Webhooks, object: string, event: string): string {
  const { merged, variants = [] } = webhooks.event
  const variant = variants.find(({ of, as }) => of.some((name) => event === `${name}.${as}`))
  if (variant !== undefined) return event.slice(0, -variant.as.length - 1)
  if (merged === undefined || !event.endsWith(mergeEnd)) return event
  const merge = event.slice(0, -mergeEnd.length)
  return Object.values(eventNamesOf(webhooks, object) ?? {}).some((names) => names.includes(merge)) ? merge : event
}

const mergeEnd = '.merged'

/** The two records of an event of links. */
export function linkedRecords(
  { association }: EventSource,
  event: unknown,
): { from: string; to: string; toObject?: string } | undefined {
  if (association === undefined) return undefined
  const from = scalarText(compilePath(association.from)(event))
  const to = scalarText(compilePath(association.to)(event))
  if (from === undefined || to === undefined) return undefined
  const object = association.toObject && objectReader(association.toObject)(event)
  return { from, to, ...(object !== undefined && { toObject: object }) }
}

/** Compiles the reader of an object's name from an event; undefined if the file names no object for the value. */
export function objectReader({ path, map }: { path: string | string[]; map: Record<string, string> }) {
  const read = compilePaths(path)
  return (event: unknown): string | undefined => {
    const text = scalarText(read(event))
    return text !== undefined && Object.hasOwn(map, text) ? map[text] : undefined
  }
}
