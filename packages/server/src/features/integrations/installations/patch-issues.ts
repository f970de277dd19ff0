import { type IntegrationContent, nearest } from '@mortise/manifest'
import type { Issue } from '../../../kernel/http/index.ts'
import { malformedOperations, type PatchFault, type PatchOperation } from './json-patch.ts'
import type { Action } from './validate-content.ts'

/** A patch of one object's config, as a caller sent it. */
export interface ObjectPatch {
  action: Action
  /** The provider's name of the object, else its `mapToName`. */
  name: string
  changes: readonly PatchOperation[]
}

/**
 * Returns the issues of a patch that do not depend on the config: its object, its action, and each malformed operation.
 */
export function patchIssues(integration: IntegrationContent, { action, name, changes }: ObjectPatch): Issue[] {
  const declared: readonly DeclaredObject[] | undefined = integration[action]?.objects
  const issues = malformedOperations(changes).map((fault) => patchFaultIssue(fault, changes))
  if (!declared)
    issues.unshift({
      in: 'body',
      name: 'action',
      value: action,
      detail: `The manifest has no ${action} action.`,
      remedy: 'Use an action that the manifest declares.',
    })
  else if (nameInManifest(declared, name) === undefined) issues.unshift(unknownObject(name, action, declared))
  return issues
}

/** Requires that a request identifies its installation. */
export function targetIssues(body: { groupRef?: unknown; installationId?: unknown }): Issue[] {
  if (body.groupRef !== undefined || body.installationId !== undefined) return []
  const detail = 'Either groupRef or installationId must be given.'
  return [{ in: 'body', name: 'groupRef', detail, remedy: 'Send the group, or the id of the installation.' }]
}

interface DeclaredObject {
  objectName: string
  mapToName?: string
}

/** Returns the provider's name of an object, by either of its names. Where both exist, the provider's name wins. */
export function nameInManifest(declared: readonly DeclaredObject[], name: string): string | undefined {
  const found =
    declared.find(({ objectName }) => objectName === name) ?? declared.find(({ mapToName }) => mapToName === name)
  return found?.objectName
}

function unknownObject(name: string, action: Action, declared: readonly DeclaredObject[]): Issue {
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

/** Converts a fault of a patch to an issue with its path in the body. */
export function patchFaultIssue({ index, part, detail }: PatchFault, changes: readonly PatchOperation[]): Issue {
  const change = index === undefined ? undefined : changes[index]
  if (!change) return { in: 'body', name: 'changes', detail }
  const name = `changes[${index}]${part ? `.${part}` : ''}`
  const value = part ? change[part] : change
  return { in: 'body', name, ...(value !== undefined && { value }), detail }
}
