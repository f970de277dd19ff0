import { type IntegrationContent, nearest } from '@mortise/manifest'
import type { Issue } from '../../kernel/http/index.ts'
import { partValidator } from '../../kernel/http/validate.ts'
import { type ConfigContent, ReadConfigObject, SubscribeConfigObject, WriteConfigObject } from './content.ts'
import type { PatchFault, PatchOperation } from './json-patch.ts'
import { inheritedConfig, patchObjectConfig, placeOf } from './object-patch.ts'
import type { Action } from './validate-content.ts'

const validators = {
  read: partValidator('body', ReadConfigObject),
  write: partValidator('body', WriteConfigObject),
  subscribe: partValidator('body', SubscribeConfigObject),
}

/**
 * The content of a config after a patch of one of its objects. The types of the result are checked here; what it means is checked
 * like any other config.
 *
 * @param patch.name the provider's name of the object, else its `mapToName`
 */
export function patchedContent(
  integration: IntegrationContent,
  content: ConfigContent,
  patch: { action: Action; name: string; changes: readonly PatchOperation[] },
): { content: ConfigContent; objectName: string } | { issues: Issue[] } | { faults: PatchFault[] } {
  const { action, changes } = patch
  const declared: { objectName: string; mapToName?: string }[] | undefined = integration[action]?.objects
  if (!declared) {
    const detail = `The manifest has no ${action} action.`
    return {
      issues: [
        { in: 'body', name: 'action', value: action, detail, remedy: 'Use an action that the manifest declares.' },
      ],
    }
  }
  const objectName = (
    declared.find((object) => object.objectName === patch.name) ??
    declared.find(({ mapToName }) => mapToName === patch.name)
  )?.objectName
  if (objectName === undefined) return { issues: [unknownObject(patch.name, action, declared)] }

  const objects: Record<string, object> = content[action]?.objects ?? {}
  const stored = Object.hasOwn(objects, objectName) ? { ...objects[objectName] } : {}
  const result = patchObjectConfig(inheritedConfig(integration, action, objectName), stored, changes)
  if ('faults' in result) return result
  const faults = validators[action](result.object).map(({ name, detail }): PatchFault => {
    const [key = ''] = name.split(/[.[]/, 1)
    return { ...placeOf(key, changes), detail }
  })
  if (faults.length > 0) return { faults }
  return {
    objectName,
    content: { ...content, [action]: { ...content[action], objects: { ...objects, [objectName]: result.object } } },
  }
}

function unknownObject(name: string, action: Action, declared: { objectName: string }[]): Issue {
  const names = declared.map(({ objectName }) => objectName)
  const meant = nearest(name, names)
  return {
    in: 'path',
    name: 'objectName',
    value: name,
    detail: `The manifest declares no object ${JSON.stringify(name)} for the action ${action}.`,
    remedy:
      meant === undefined
        ? 'Use an object that the manifest declares for this action.'
        : `Did you mean ${JSON.stringify(meant)}?`,
  }
}
