import { isDeepStrictEqual } from 'node:util'
import type { IntegrationContent } from '@mortise/manifest'
import { applyPatch, type PatchFault, type PatchOperation, parsePointer } from './json-patch.ts'
import type { Action } from './validate-content.ts'

type ObjectConfig = Record<string, unknown>

/**
 * An object's config as it is when nothing was chosen: the manifest's values under the config's keys. The maps of
 * choices are there, empty, so that a patch can add to them.
 */
export function inheritedConfig(integration: IntegrationContent, action: Action, objectName: string): ObjectConfig {
  const find = <T extends { objectName: string }>(objects: T[] | undefined) =>
    objects?.find((object) => object.objectName === objectName)
  if (action === 'write') return { objectName, selectedFieldSettings: {}, selectedValueDefaults: {} }
  if (action === 'read') {
    const { schedule, destination, backfill, deletions } = find(integration.read?.objects) ?? {}
    const choices = { selectedFields: {}, selectedFieldMappings: {}, selectedValueMappings: {} }
    return withoutUndefined({ objectName, schedule, destination, backfill, deletions, ...choices })
  }
  const object = find(integration.subscribe?.objects)
  const { destination, createEvent, updateEvent, deleteEvent, otherEvents } = object ?? {}
  const inheritFieldsAndMappings = object?.inheritFieldsAndMapping
  return withoutUndefined({
    objectName,
    destination,
    inheritFieldsAndMappings,
    createEvent,
    updateEvent,
    deleteEvent,
    otherEvents,
  })
}

/**
 * Applies a patch to the effective config of an object: the inherited values with the stored overrides. Returns the
 * values to store: only those that differ from the inherited ones. Removing a stored key restores the inherited value.
 * Removing a key that is only inherited is a fault.
 */
export function patchObjectConfig(
  inherited: ObjectConfig,
  stored: ObjectConfig,
  changes: readonly PatchOperation[],
): { object: ObjectConfig } | { faults: PatchFault[] } {
  const rootIndex = changes.findIndex(({ path }) => path === '')
  if (rootIndex >= 0)
    return {
      faults: [
        {
          index: rootIndex,
          part: 'path',
          detail: 'The path must begin with "/": the object as a whole cannot be changed.',
        },
      ],
    }
  const result = applyPatch({ ...inherited, ...stored }, changes)
  if ('faults' in result) return result
  const patched = result.document as ObjectConfig
  const faults = Object.keys(inherited)
    .filter((key) => !Object.hasOwn(patched, key) && (key === 'objectName' || !Object.hasOwn(stored, key)))
    .map((key) => removalFault(key, changes))
  if (Object.hasOwn(patched, 'objectName') && patched['objectName'] !== inherited['objectName'])
    faults.push({
      ...locationOf('objectName', changes),
      detail: 'The objectName is the key of the object and cannot be changed.',
    })
  if (faults.length > 0) return { faults }
  const differs = ([key, value]: [string, unknown]) =>
    key === 'objectName' || !Object.hasOwn(inherited, key) || !isDeepStrictEqual(value, inherited[key])
  return { object: Object.fromEntries(Object.entries(patched).filter(differs)) }
}

function removalFault(key: string, changes: readonly PatchOperation[]): PatchFault {
  const detail =
    key === 'objectName'
      ? 'The objectName is the key of the object and cannot be removed.'
      : `${JSON.stringify(key)} is inherited from the manifest and not part of the config, so there is nothing to remove; replace it instead.`
  return { ...locationOf(key, changes), detail }
}

/** The last operation that concerns a key of the object. */
export function locationOf(key: string, changes: readonly PatchOperation[]): Pick<PatchFault, 'index' | 'part'> {
  const index = changes.findLastIndex(({ path }) => parsePointer(path)?.[0] === key)
  return index < 0 ? {} : { index, part: 'path' }
}

function withoutUndefined(object: ObjectConfig): ObjectConfig {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
