import type { TSchema } from 'typebox'

interface Node {
  'x-audited'?: boolean
  properties?: Record<string, Node>
}

/** Returns whether a schema, or an object in it, marks a property with `audited()`. */
export function hasAuditedParts(schema: TSchema | undefined): boolean {
  return Object.values((schema as Node | undefined)?.properties ?? {}).some(
    (property) => property['x-audited'] || hasAuditedParts(property as TSchema),
  )
}

/** Returns a copy of an object with the properties that its schema marks `audited()`; undefined if it has none. */
export function auditedParts(schema: TSchema | undefined, value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const parts = Object.entries((schema as Node | undefined)?.properties ?? {}).flatMap(([name, property]) => {
    const part = (value as Record<string, unknown>)[name]
    const kept = property['x-audited'] ? part : auditedParts(property as TSchema, part)
    return kept === undefined ? [] : [[name, kept]]
  })
  return parts.length > 0 ? Object.fromEntries(parts) : undefined
}
