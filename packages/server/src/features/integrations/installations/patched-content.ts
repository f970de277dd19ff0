import type { IntegrationContent } from '@mortise/manifest'
import { partValidator } from '../../../kernel/http/validate.ts'
import { type ConfigContent, ReadConfigObject, SubscribeConfigObject, WriteConfigObject } from './content.ts'
import type { PatchFault } from './json-patch.ts'
import { inheritedConfig, locationOf, patchObjectConfig } from './object-patch.ts'
import { nameInManifest, type ObjectPatch } from './patch-issues.ts'

const validators = {
  read: partValidator('body', ReadConfigObject),
  write: partValidator('body', WriteConfigObject),
  subscribe: partValidator('body', SubscribeConfigObject),
}

/**
 * The content of a config after a patch of one of its objects, which the manifest declares. The types of the result are
 * checked here; what it means is checked like any other config.
 */
export function patchedContent(
  integration: IntegrationContent,
  content: ConfigContent,
  { action, name, changes }: ObjectPatch,
): { content: ConfigContent; objectName: string } | { faults: PatchFault[] } {
  const objectName = nameInManifest(integration[action]?.objects ?? [], name)
  if (objectName === undefined)
    return { faults: [{ detail: 'A deploy has just removed the object from the manifest.' }] }
  const objects: Record<string, object> = content[action]?.objects ?? {}
  const stored = Object.hasOwn(objects, objectName) ? { ...objects[objectName] } : {}
  const result = patchObjectConfig(inheritedConfig(integration, action, objectName), stored, changes)
  if ('faults' in result) return result
  const faults = validators[action](result.object).map(({ name: path, detail }): PatchFault => {
    const [key = ''] = path.split(/[.[]/, 1)
    return { ...locationOf(key, changes), detail }
  })
  if (faults.length > 0) return { faults }
  return {
    objectName,
    content: { ...content, [action]: { ...content[action], objects: { ...objects, [objectName]: result.object } } },
  }
}
