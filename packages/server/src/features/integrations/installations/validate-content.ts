import { isDeepStrictEqual } from 'node:util'
import { type IntegrationContent, nearest } from '@mortise/manifest'
import type { Issue } from '../../../kernel/http/index.ts'
import type { ConfigContent } from './content.ts'
import type { ObjectIssue } from './object-issue.ts'
import { subscribeObjectIssues, writeObjectIssues } from './validate-other-objects.ts'
import { type ReadRules, readObjectIssues } from './validate-read-object.ts'

export type Action = 'read' | 'write' | 'subscribe'
export const actions: readonly Action[] = ['read', 'write', 'subscribe']

/**
 * Returns all issues of a config that its integration does not allow. Objects that are the same in `before` are not
 * checked again: an installation stays changeable when a later revision would refuse parts of it.
 *
 * @param at path of the content in the body, with which the names of issues begin
 */
export function contentIssues(
  integration: IntegrationContent,
  content: ConfigContent,
  rules: ReadRules,
  { before, at = 'config.content' }: { before?: ConfigContent; at?: string } = {},
): Issue[] {
  const issues: Issue[] = []
  if (content.provider !== integration.provider)
    issues.push({
      in: 'body',
      name: `${at}.provider`,
      value: content.provider,
      detail: `The integration is one of ${integration.provider}.`,
      remedy: `Set provider to ${JSON.stringify(integration.provider)}.`,
    })
  for (const action of actions) {
    for (const [name, object] of Object.entries(content[action]?.objects ?? {})) {
      const old = before?.[action]?.objects
      if (old && Object.hasOwn(old, name) && isDeepStrictEqual(old[name], object)) continue
      issues.push(
        ...objectIssues(integration, action, name, content, rules).map(({ path, ...issue }) => ({
          in: 'body' as const,
          name: [at, action, 'objects', name, ...path].join('.'),
          ...issue,
        })),
      )
    }
  }
  return issues
}

/** Returns the issues of one object of a config. */
export function objectIssues(
  integration: IntegrationContent,
  action: Action,
  name: string,
  content: ConfigContent,
  rules: ReadRules,
): ObjectIssue[] {
  const undeclared = undeclaredIssue(integration, action, name)
  if (undeclared) return [{ path: [], ...undeclared }]
  const definition = integration.read?.objects.find(({ objectName }) => objectName === name)
  const config = content.read?.objects?.[name]
  if (action === 'read') return definition && config ? readObjectIssues(definition, config, rules) : []
  if (action === 'write') return writeObjectIssues(content.write?.objects?.[name] ?? {})
  return subscribeObjectIssues(integration.provider, content.subscribe?.objects?.[name] ?? {})
}

/** Returns the issue of an object that the manifest does not declare for an action. */
export function undeclaredIssue(
  integration: IntegrationContent,
  action: Action,
  name: string,
): { detail: string; remedy: string } | undefined {
  const declared: { objectName: string }[] = integration[action]?.objects ?? []
  const names = declared.map(({ objectName }) => objectName)
  if (names.includes(name)) return undefined
  const meant = nearest(name, names)
  return {
    detail: `The integration does not ${action === 'subscribe' ? 'subscribe to' : action} an object named ${JSON.stringify(name)}.`,
    remedy:
      meant === undefined
        ? 'Use an object that the manifest declares for this action.'
        : `Did you mean ${JSON.stringify(meant)}?`,
  }
}
