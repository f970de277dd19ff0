import { isDeepStrictEqual } from 'node:util'
import type { Input } from '@mortise/client'
import type { ConfigContent } from './config-content.ts'

type Update = Input<'updateInstallation'>['body']

/**
 * Returns the one request that turns the stored config into the wanted one; undefined when they are the same. Stored
 * read objects that the wanted config lacks are disabled: the service keeps their choices.
 */
export function updateOf(stored: ConfigContent, wanted: ConfigContent, connectionId?: string): Update | undefined {
  const updateMask: string[] = connectionId === undefined ? [] : ['connectionId']
  const content: NonNullable<NonNullable<Update['installation']['config']>['content']> = {}
  const read: NonNullable<NonNullable<ConfigContent['read']>['objects']> = {}
  const before = stored.read?.objects ?? {}
  const after = wanted.read?.objects ?? {}
  for (const [name, object] of Object.entries(after)) if (!isDeepStrictEqual(before[name], object)) read[name] = object
  for (const [name, object] of Object.entries(before))
    if (!Object.hasOwn(after, name) && object.disabled !== true) read[name] = { ...object, disabled: true }
  const names = Object.keys(read)
  if (names.length > 0) {
    content.read = { objects: read }
    updateMask.push(...names.map((name) => `config.content.read.objects.${name}`))
  }
  for (const action of ['write', 'subscribe'] as const) {
    const objects = wanted[action]?.objects ?? {}
    if (isDeepStrictEqual(stored[action]?.objects ?? {}, objects)) continue
    Object.assign(content, { [action]: { objects } })
    updateMask.push(`config.content.${action}.objects`)
  }
  const enabled = wanted.proxy?.enabled === true
  if ((stored.proxy?.enabled === true) !== enabled) {
    content.proxy = { enabled }
    updateMask.push('config.content.proxy.enabled')
  }
  if (updateMask.length === 0) return undefined
  return { updateMask, installation: { ...(connectionId !== undefined && { connectionId }), config: { content } } }
}
