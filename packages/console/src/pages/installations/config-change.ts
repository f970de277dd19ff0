import type { Input, Output } from '@mortise/client'

/** The config of an installation: what the customer chose. */
export type Content = Output<'getInstallation'>['config']['content']
type Update = Input<'updateInstallation'>['body']

interface Objects {
  objects?: Record<string, unknown>
}

/** What an edit of a config cannot do, at a path of it. */
export interface ConfigIssue {
  path: string[]
  message: string
}

/**
 * Returns the update that makes one config of another: the paths that differ, and the new values. The API replaces
 * read objects one by one, and what is written and subscribed as a whole.
 */
export function updateOf(before: Content, after: Content): { body: Update } | { issues: ConfigIssue[] } {
  const mask: string[] = []
  const issues: ConfigIssue[] = []
  const read = objectsOf(before, 'read')
  const nextRead = objectsOf(after, 'read')
  for (const name of Object.keys(read))
    if (!Object.hasOwn(nextRead, name))
      issues.push({
        path: ['read', 'objects'],
        message: `“${name}” cannot be removed. Set "disabled": true in it to stop its reads.`,
      })
  for (const [name, object] of Object.entries(nextRead))
    if (!isEqual(object, read[name])) mask.push(`config.content.read.objects.${name}`)
  for (const action of ['write', 'subscribe'] as const)
    if (!isEqual(objectsOf(before, action), objectsOf(after, action))) mask.push(`config.content.${action}.objects`)
  if (!isEqual(before['proxy'], after['proxy'])) mask.push('config.content.proxy.enabled')
  if (before['provider'] !== after['provider'])
    issues.push({ path: ['provider'], message: 'The provider of an installation cannot change.' })
  if (issues.length > 0) return { issues }
  return { body: { updateMask: mask, installation: { config: { content: after as never } } } }
}

function objectsOf(content: Content, action: 'read' | 'write' | 'subscribe'): Record<string, unknown> {
  return ((content[action] ?? {}) as Objects).objects ?? {}
}

/** Compares JSON without the order of keys. */
function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

/** The same JSON with sorted keys, so that two configs differ only where their values do. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}

/** A config as text, for people and for comparison. */
export function textOf(content: Content): string {
  return JSON.stringify(sorted(content), null, 2)
}

/** The path of an issue of the service in the config: what follows `content.` in its name. */
export function pathOfIssue(name: string): string[] {
  const path = name.replace(/^.*?content\.?/, '')
  return path.split(/[.[\]]+/).filter((part) => part !== '')
}

/** Returns the line, from 1, of the deepest part of a path in formatted JSON. */
export function lineOf(text: string, path: string[]): number {
  let at = 0
  for (const key of path) {
    const found = text.indexOf(`${JSON.stringify(key)}:`, at)
    if (found < 0) continue
    at = found
  }
  return text.slice(0, at).split('\n').length
}
