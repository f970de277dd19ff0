import type { IntegrationContent } from './manifest.ts'

/**
 * The content as JSON with sorted keys: equal contents give equal text, whatever the order in which they were written.
 */
export function canonicalContent(content: IntegrationContent): string {
  return stringify(content)
}

/** JSON with the keys of every object sorted by code unit; absent and `undefined` are the same. */
function stringify(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stringify).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).filter(([, below]) => below !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, below]) => `${JSON.stringify(key)}:${stringify(below)}`).join(',')}}`
}

/** Whether two parts of contents are equal. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === undefined || b === undefined ? a === b : stringify(a) === stringify(b)
}
