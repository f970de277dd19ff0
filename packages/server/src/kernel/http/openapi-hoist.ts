import { nameOf } from './schema.ts'

/** Returns a schema as the document shows it: named schemas become references. */
export type Hoist = (schema: unknown) => unknown

/** Moves named schemas to `components.schemas`, and adds descriptions that are defined elsewhere. */
export function createHoist(described: { words?: Record<string, string>; schemas?: Record<string, string> }): {
  hoist: Hoist
  schemas: Record<string, unknown>
} {
  const { words = {}, schemas: texts = {} } = described
  const schemas: Record<string, unknown> = {}
  const sources = new Map<string, string>()

  const hoist: Hoist = (schema) => {
    if (Array.isArray(schema)) return schema.map(hoist)
    if (typeof schema !== 'object' || schema === null) return schema
    const name = nameOf(schema)
    if (name === undefined) return parts(schema)
    const source = JSON.stringify(schema)
    if (sources.has(name) && sources.get(name) !== source) throw new Error(`Two schemas have the name ${name}.`)
    if (!sources.has(name)) {
      sources.set(name, source)
      schemas[name] = {}
      schemas[name] = withText(parts(schema), texts[name])
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  const parts = (schema: object): object =>
    mapEntries(schema, (key, value) =>
      key === 'properties' && typeof value === 'object' && value !== null
        ? mapEntries(value, (name, property) => withText(hoist(property), words[name]))
        : hoist(value),
    )

  return { hoist, schemas }
}

function withText(schema: unknown, text: string | undefined): unknown {
  if (text === undefined || typeof schema !== 'object' || schema === null) return schema
  return 'description' in schema || '$ref' in schema ? schema : { ...schema, description: text }
}

function mapEntries(object: object, map: (key: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(key, value)]))
}
