import type { Config } from '../../../config.ts'
import type { Issue } from '../../../kernel/http/index.ts'
import { partValidator } from '../../../kernel/http/validate.ts'
import { ReadConfigObject } from './content.ts'
import { malformedOperations, type PatchOperation } from './json-patch.ts'
import { patchFaultIssue, targetIssues } from './patch-issues.ts'
import { isMaskPath, unknownMask } from './update-mask.ts'
import { objectOwnIssues } from './validate-read-object.ts'

/**
 * Finds issues beyond the schema in a body that violates the schema. Checks each well-formed part, so that one response
 * lists all issues. The body is any JSON value. Checks that need the integration run later.
 */
type Further = (body: unknown, issues: readonly Issue[], services: { config: Config }) => Issue[]

const isReadObject = partValidator('body', ReadConfigObject)

export const furtherOfCreate: Further = (body, _, services) =>
  readObjectIssues(at(body, 'config', 'content'), 'config.content', services)

/** For a body with the content at its top. */
export const furtherOfPreview: Further = (body, _, services) =>
  readObjectIssues(at(body, 'content'), 'content', services)

export const furtherOfUpdate: Further = (body, _, services) => {
  const mask = at(body, 'updateMask')
  const unknown = (Array.isArray(mask) ? mask : []).flatMap((path: unknown, index) =>
    typeof path === 'string' && path !== '' && !isMaskPath(path) ? [unknownMask(index, path)] : [],
  )
  const content = at(body, 'installation', 'config', 'content')
  return [...unknown, ...readObjectIssues(content, 'installation.config.content', services)]
}

export const furtherOfPatch: Further = (body, issues) => {
  const changes = at(body, 'changes')
  const list: unknown[] = Array.isArray(changes) ? changes : []
  // A placeholder replaces malformed operations, so that the others keep their index.
  const operations = list.map((change): PatchOperation => (isOperation(change) ? change : { op: 'remove', path: '/x' }))
  const known = new Set(issues.map(({ name }) => name))
  return [
    ...targetIssues(isObject(body) ? body : {}),
    ...malformedOperations(operations).map((fault) => patchFaultIssue(fault, operations)),
  ].filter(({ name }) => !known.has(name))
}

function readObjectIssues(content: unknown, prefix: string, { config }: { config: Config }): Issue[] {
  const objects = at(content, 'read', 'objects')
  if (!isObject(objects)) return []
  return Object.entries(objects).flatMap(([name, object]) => {
    // A copy, because the validator may fill in defaults.
    const copy: unknown = structuredClone(object)
    if (!isObject(copy) || isReadObject(copy).length > 0) return []
    return objectOwnIssues(copy as ReadConfigObject, config).map(({ path, ...issue }) => ({
      in: 'body' as const,
      name: [prefix, 'read.objects', name, ...path].join('.'),
      ...issue,
    }))
  })
}

function isOperation(change: unknown): change is PatchOperation {
  return isObject(change) && typeof change['op'] === 'string' && typeof change['path'] === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (found, key) => (isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined),
    value,
  )
}
