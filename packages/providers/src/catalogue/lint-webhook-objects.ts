import { listedEvents } from '../interpreter/webhooks/event-names.ts'
import { didYouMean } from './did-you-mean.ts'
import type { Flaw } from './flaw.ts'
import type { ProviderFile, ProviderFileOutline } from './format/provider-file.ts'
import type { Webhooks } from './format/webhooks.ts'

/**
 * Refuses events of objects that the file does not have: nobody could use them. An object that exists in events only
 * declares that with its own `record`. If `otherObjects` accepts any name, or the file has events alone, there is
 * nothing to compare.
 */
export function lintWebhookObjects(
  { objects = {}, association }: Pick<Webhooks, 'objects' | 'association'>,
  file: ProviderFileOutline,
): Flaw[] {
  const sections = [file, ...Object.values(file.modules ?? {})]
  if (sections.some(({ otherObjects = [] }) => otherObjects.length > 0)) return []
  const names = sections.flatMap((section) => Object.keys(section.objects ?? {}))
  if (names.length === 0) return []
  const inEvents = Object.entries(objects).filter(([, { record }]) => record !== undefined)
  const known = new Set([...names, ...inEvents.map(([name]) => name)])
  const used: [Flaw['path'], string][] = [
    ...Object.keys(objects).map((name): [Flaw['path'], string] => [['objects', name], name]),
    ...Object.entries(association?.toObject?.map ?? {}).map(([key, name]): [Flaw['path'], string] => [
      ['association', 'toObject', 'map', key],
      name,
    ]),
  ]
  return used
    .filter(([, name]) => !known.has(name))
    .map(([path, name]) => ({
      path: ['webhooks', ...path],
      message: `is not an object of this file ("${name}"); an object that exists only in events needs a "record" here${didYouMean(name, names)}`,
    }))
}

/** Refuses variants of events that no object lists: with a misspelled name, the events would mean what they do not. */
export function lintVariants(file: ProviderFile): Flaw[] {
  return [...file.sets].flatMap(([module, { webhooks: own }]) => {
    const at = own === undefined || module === '' ? [] : ['modules', module]
    const { event, objects = {}, otherObjects = {} } = own ?? file.webhooks ?? {}
    const listed = new Set([...Object.values(objects), otherObjects].flatMap(listedEvents))
    return (event?.variants ?? []).flatMap(({ of, as }, index) =>
      of
        .filter((name) => !listed.has(name) && !listed.has(`${name}.${as}`))
        .map((name) => ({
          path: [...at, 'webhooks', 'event', 'variants', index, 'of'],
          message: `must have events of the objects ("${name}" is none)`,
        })),
    )
  })
}

/** Refuses events that only signal a change of an object that cannot be read by time: each would read every record. */
export function lintChangedObjects(file: ProviderFile): Flaw[] {
  return [...file.sets].flatMap(([module, { objects, webhooks: own }]) => {
    const at = own === undefined || module === '' ? [] : ['modules', module]
    return Object.entries((own ?? file.webhooks)?.objects ?? {})
      .filter(([name, { changed = [] }]) => changed.length > 0 && objects.get(name)?.incremental === undefined)
      .map(([name]) => ({
        path: [...at, 'webhooks', 'objects', name, 'changed'],
        message: 'needs an object with "incremental": otherwise, every event would read all records',
      }))
  })
}

/**
 * Refuses events whose record has a composite id, if the id of the event is one value: no read would have the same id.
 * With `idAs`, the file makes the id of reads itself. In CSV, the first part alone may be the id.
 */
export function lintEventIds(file: ProviderFile): Flaw[] {
  return [...file.sets].flatMap(([module, { objects, webhooks: own }]) => {
    const at = own === undefined || module === '' ? [] : ['modules', module]
    const webhooks = own ?? file.webhooks
    return Object.entries(webhooks?.objects ?? {}).flatMap(
      ([name, { id: ownId, idAs, create, update, delete: gone }]) => {
        const read = objects.get(name)?.read
        const ids = ownId ?? webhooks?.event.id ?? []
        if (!Array.isArray(read?.id) || read.id.length < 2 || read.format === 'csv' || idAs !== undefined) return []
        if ([create, update, gone].every((names = []) => names.length === 0)) return []
        const parts = read.id.length
        if (ids.every((location) => Array.isArray(location) && location.length === parts)) return []
        return {
          path: [...at, 'webhooks', ...(ownId ? ['objects', name, 'id'] : ['event', 'id'])],
          message: `must have the ${parts} parts of the id that reads of "${name}" use (${read.id.join(', ')}); write their locations in the event as a list within the list, such as [[repo.owner, repo.name]]`,
        }
      },
    )
  })
}
