import type { ObjectEvents, Webhooks } from '../../catalogue/format/webhooks.ts'
import { compilePath, scalarText } from '../path.ts'
import { parseTemplate, render } from '../template.ts'

/** What happened to a record. */
export type EventKind = 'create' | 'update' | 'delete' | 'association'

const kinds = ['create', 'update', 'delete', 'association'] as const

/** The provider's names of an object's events; `undefined` where it tells nothing of the object. */
export function eventNamesOf(webhooks: Webhooks, object: string): Record<EventKind, string[]> | undefined {
  const declared = eventsOf(webhooks, object)
  if (declared === undefined) return undefined
  const filled = (names: readonly string[] = []) =>
    names.flatMap((text) => render(parseTemplate(text), (name) => (name === 'object' ? object : undefined)) ?? [])
  return Object.fromEntries(kinds.map((kind) => [kind, filled(declared[kind])])) as Record<EventKind, string[]>
}

export function eventsOf(webhooks: Webhooks, object: string): ObjectEvents | undefined {
  const { objects = {}, otherObjects } = webhooks
  return Object.hasOwn(objects, object) ? objects[object] : otherObjects
}

/** The two records of an event of links. */
export function linkedRecords(
  { association }: Webhooks,
  event: unknown,
): { from: string; to: string; toObject?: string } | undefined {
  if (association === undefined) return undefined
  const from = scalarText(compilePath(association.from)(event))
  const to = scalarText(compilePath(association.to)(event))
  if (from === undefined || to === undefined) return undefined
  const { toObject } = association
  const told = toObject === undefined ? undefined : scalarText(compilePath(toObject.path)(event))
  const object = told !== undefined && toObject && Object.hasOwn(toObject.map, told) ? toObject.map[told] : undefined
  return { from, to, ...(object !== undefined && { toObject: object }) }
}
