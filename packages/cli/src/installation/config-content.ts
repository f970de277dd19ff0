import type { Input, Item } from '@mortise/client'
import { nearest } from '@mortise/manifest'
import { UsageError } from '../usage-error.ts'
import { changedNames } from './changed-names.ts'
import type { ConfigOptions } from './config-options.ts'

export type ConfigContent = Input<'createInstallation'>['body']['config']['content']
export type Manifest = Item<'listIntegrations'>['latestRevision']['content']
type ReadObject = NonNullable<NonNullable<ConfigContent['read']>['objects']>[string]
type Action = 'read' | 'write' | 'subscribe'

/** Returns the config that has every object of the manifest, with its required fields. */
export function contentOfManifest({ provider, read, write, subscribe, proxy }: Manifest): ConfigContent {
  return {
    provider,
    ...(read && { read: { objects: objectsNamed(read.objects) } }),
    ...(write && { write: { objects: objectsNamed(write.objects ?? []) } }),
    ...(subscribe && { subscribe: { objects: objectsNamed(subscribe.objects) } }),
    ...(proxy?.enabled === true && { proxy: { enabled: true } }),
  }
}

/**
 * Chooses all optional fields of each object of which no field would be read: the service refuses such an object. An
 * object whose manifest names no fields at all stays as it is, because its records are delivered raw.
 */
export function withDefaultFields(manifest: Manifest, content: ConfigContent): ConfigContent {
  const objects = { ...content.read?.objects }
  for (const { objectName, requiredFields = [], optionalFields = [], optionalFieldsAuto } of manifest.read?.objects ??
    []) {
    const object = objects[objectName]
    if (object === undefined || requiredFields.length > 0 || choosesFields(object)) continue
    const names = optionalFields.flatMap((field) => ('fieldName' in field ? [field.fieldName] : []))
    if (optionalFieldsAuto === 'all') objects[objectName] = { ...object, selectedFieldsAuto: 'all' }
    else if (names.length > 0)
      objects[objectName] = { ...object, selectedFields: Object.fromEntries(names.map((name) => [name, true])) }
  }
  return content.read ? { ...content, read: { ...content.read, objects } } : content
}

function choosesFields({ selectedFieldsAuto, selectedFields = {}, selectedFieldMappings = {} }: ReadObject): boolean {
  return (
    selectedFieldsAuto !== undefined ||
    Object.keys(selectedFields).length > 0 ||
    Object.keys(selectedFieldMappings).length > 0
  )
}

/** Whether any option chooses something; `--config` does not count. */
export function hasChoice({ read, fields, map, schedule, write, allowDelete, subscribe }: ConfigOptions): boolean {
  return [read, write, allowDelete, subscribe].some(Boolean) || [fields, map, schedule].some((list) => list.length > 0)
}

/**
 * Returns a config with what the options choose. An object that is no longer read is left out when `isNew`; of an
 * installation it is disabled, which keeps its choices.
 *
 * @throws UsageError for an object that the manifest does not declare, and for a malformed option
 */
export function applyChoices(
  manifest: Manifest,
  content: ConfigContent,
  options: ConfigOptions,
  isNew: boolean,
): ConfigContent {
  const resolve = (action: Action, option: string) => (name: string) => objectOf(manifest, action, name, option)
  const read = { ...content.read?.objects }
  const change = (name: string, changes: (object: ReadObject) => ReadObject) => {
    read[name] = changes(read[name] ?? { objectName: name })
  }
  if (options.read) {
    const current = Object.keys(read).filter((name) => read[name]?.disabled !== true)
    const names = changedNames('--read', options.read, current, resolve('read', '--read'))
    for (const name of names) change(name, ({ disabled: _, ...object }) => object)
    for (const name of Object.keys(read))
      if (!names.includes(name)) {
        if (isNew) delete read[name]
        else change(name, (object) => ({ ...object, disabled: true }))
      }
  }
  for (const text of options.fields) {
    const [name, value] = assignment(text, '--fields', 'contacts=first_name,score')
    change(objectOf(manifest, 'read', name, '--fields'), (object) => withFields(object, value))
  }
  for (const text of options.map) {
    const [path, field] = assignment(text, '--map', 'contacts.lifecycle=stage')
    const [name, mapToName] = mappingOf(manifest, path)
    change(name, ({ selectedFieldMappings: { [mapToName]: _, ...others } = {}, ...object }) => ({
      ...object,
      selectedFieldMappings: field === '' ? others : { ...others, [mapToName]: field },
    }))
  }
  for (const text of options.schedule) {
    const [name, schedule] = assignment(text, '--schedule', "'contacts=*/30 * * * *'")
    change(objectOf(manifest, 'read', name, '--schedule'), ({ schedule: _, ...object }) =>
      schedule === '' ? object : { ...object, schedule },
    )
  }
  return {
    ...content,
    ...((content.read || Object.keys(read).length > 0) && { read: { objects: read } }),
    ...changedWrite(content, options, resolve),
    ...changedSubscribe(content, options, resolve),
  }
}

type Resolve = (action: Action, option: string) => (name: string) => string

function changedWrite(
  { write }: ConfigContent,
  options: ConfigOptions,
  resolve: Resolve,
): Pick<ConfigContent, 'write'> {
  if (!options.write && !options.allowDelete) return {}
  const current = write?.objects ?? {}
  const mayDelete = Object.keys(current).filter((name) => current[name]?.deletionSettings?.enabled === true)
  const writable = options.write
    ? changedNames('--write', options.write, Object.keys(current), resolve('write', '--write'))
    : Object.keys(current)
  const deletable = options.allowDelete
    ? changedNames('--allow-delete', options.allowDelete, mayDelete, resolve('write', '--allow-delete'))
    : mayDelete.filter((name) => writable.includes(name))
  const names = [...new Set([...writable, ...deletable])]
  const objects = names.map((objectName) => {
    const { deletionSettings: _, ...object } = current[objectName] ?? { objectName }
    return [objectName, { ...object, ...(deletable.includes(objectName) && { deletionSettings: { enabled: true } }) }]
  })
  return { write: { objects: Object.fromEntries(objects) } }
}

function changedSubscribe(
  { subscribe }: ConfigContent,
  options: ConfigOptions,
  resolve: Resolve,
): Pick<ConfigContent, 'subscribe'> {
  if (!options.subscribe) return {}
  const current = subscribe?.objects ?? {}
  const names = changedNames(
    '--subscribe',
    options.subscribe,
    Object.keys(current),
    resolve('subscribe', '--subscribe'),
  )
  return {
    subscribe: { objects: Object.fromEntries(names.map((name) => [name, current[name] ?? { objectName: name }])) },
  }
}

/** The object with the optional fields that `--fields` chooses: `all`, a list, or changes of the list. */
function withFields({ selectedFieldsAuto, selectedFields = {}, ...object }: ReadObject, value: string): ReadObject {
  if (value === 'all') return { ...object, selectedFields, selectedFieldsAuto: 'all' }
  const entries = value.split(',').map((name) => name.trim())
  const current = Object.keys(selectedFields).filter((name) => selectedFields[name] === true)
  const names = changedNames(
    '--fields',
    entries.filter((name) => name !== ''),
    current,
  )
  return { ...object, selectedFields: Object.fromEntries(names.map((name) => [name, true])) }
}

function assignment(text: string, option: string, example: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`“${text}” has no value. Write ${option} ${example}.`)
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

/** Splits `object.name`: names of objects may contain dots. */
function mappingOf(manifest: Manifest, path: string): [object: string, mapToName: string] {
  const objects = manifest.read?.objects ?? []
  const names = objects.flatMap(({ objectName, mapToName }) => [objectName, ...(mapToName ? [mapToName] : [])])
  const prefix = names.filter((name) => path.startsWith(`${name}.`)).toSorted((one, two) => two.length - one.length)[0]
  const name = prefix ?? path.slice(0, Math.max(0, path.lastIndexOf('.')))
  const mapToName = path.slice(name.length + 1)
  if (name === '' || mapToName === '')
    throw new UsageError(`“${path}” does not name an object and a mapped name. Write --map contacts.lifecycle=stage.`)
  return [objectOf(manifest, 'read', name, '--map'), mapToName]
}

const verbs = { read: 'reads', write: 'writes', subscribe: 'subscribes to' }

/** The provider's name of an object that the manifest declares, under either of its names. @throws UsageError */
function objectOf(manifest: Manifest, action: Action, name: string, option: string): string {
  const objects: { objectName: string; mapToName?: string }[] = manifest[action]?.objects ?? []
  const found =
    objects.find(({ objectName }) => objectName === name) ?? objects.find(({ mapToName }) => mapToName === name)
  if (found) return found.objectName
  const names = objects.map(({ objectName }) => objectName)
  const near = nearest(name, names)
  const advice =
    names.length === 0
      ? `Its manifest has no ${action} objects.`
      : near
        ? `Did you mean ${near}?`
        : `It ${verbs[action]} ${names.join(', ')}.`
  throw new UsageError(`${option}: ${manifest.name} ${verbs[action]} no object “${name}”. ${advice}`)
}

function objectsNamed(objects: readonly { objectName: string }[]) {
  return Object.fromEntries(objects.map(({ objectName }) => [objectName, { objectName }]))
}
