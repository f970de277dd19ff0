import type { TSchema } from 'typebox'
import { branches, type SecretNode } from './shown-secrets.ts'

/** Replaces secrets in the audit log. */
const mask = '***'

/** Names of properties whose values are masked even where the schema does not mark them. */
const secretName = /secret|token|password|credential|authorization|private|apikey|^key$|^link$/i

/**
 * Returns a copy of a response with a mask for values that its schema marks `secret()`, and for values whose names say
 * that they are secret. In unions, every branch masks.
 */
export function maskSecrets(schema: TSchema, value: unknown): unknown {
  return masked([schema as SecretNode], '', value)
}

function masked(nodes: SecretNode[], name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  const all = nodes.flatMap(branches)
  if (all.some((node) => node['x-secret'])) return mask
  if (value instanceof Date) return value.toISOString()
  if (secretName.test(name) && typeof value !== 'boolean') return mask
  if (Array.isArray(value)) {
    const items = all.flatMap(({ items }) => (items ? [items] : []))
    return value.map((item) => masked(items, name, item))
  }
  if (typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const below = all.flatMap(({ properties, patternProperties, additionalProperties }) => {
        const own = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
        if (own) return [own]
        // Which pattern a name fits does not matter: one that marks a secret masks too much at most.
        const others = typeof additionalProperties === 'object' ? [additionalProperties] : []
        return [...Object.values(patternProperties ?? {}), ...others]
      })
      return [key, masked(below, key, item)]
    }),
  )
}
