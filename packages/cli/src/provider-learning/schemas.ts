import { isJson, type Json, listOf, objectOf, textOf } from './json-values.ts'

/** References that lead to references; a longer chain is a circle. */
const chainMax = 20
/** Levels of `allOf`, `oneOf` and `anyOf` inside each other, and parts of one schema in all of them. */
const levelsMax = 8
const partsMax = 500
/** Properties of one schema: no record has more. */
const propertiesMax = 1000

/** What is known of a schema, after its references and compositions. */
export interface Shape {
  type?: string
  format?: string
  properties: Map<string, unknown>
  items?: unknown
  required: Set<string>
  choices: string[]
  readOnly: boolean
}

/** Follows `$ref` inside a document. Other documents are not read. */
export class References {
  readonly #document: Json
  /** References that lead out of the document, or nowhere. */
  readonly unresolved = new Set<string>()
  readonly #targets = new Map<string, unknown>()
  /** Each schema is read once, however many references lead to it. */
  readonly #shapes = new WeakMap<object, Shape>()

  constructor(document: Json) {
    this.#document = document
  }

  /** Returns the object that a node is or refers to; empty if there is none. */
  resolve(node: unknown): Json {
    let current = node
    for (let step = 0; step < chainMax; step++) {
      const reference = isJson(current) ? textOf(current['$ref']) : undefined
      if (reference === undefined) return objectOf(current)
      current = this.#at(reference)
    }
    return {}
  }

  #at(reference: string): unknown {
    if (this.#targets.has(reference)) return this.#targets.get(reference)
    let at: unknown
    if (reference.startsWith('#')) {
      at = this.#document
      for (const part of reference.slice(1).split('/').filter(Boolean)) {
        const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
        at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined
      }
    }
    this.#targets.set(reference, at)
    if (at === undefined && this.unresolved.size < 20) this.unresolved.add(reference.slice(0, 100))
    return at
  }

  /** Returns the shape of a schema. Of alternatives, it has the properties of all. */
  shape(node: unknown): Shape {
    const schema = isJson(node) && Object.keys(node).length === 1 ? this.resolve(node) : node
    const known = isJson(schema) ? this.#shapes.get(schema) : undefined
    if (known !== undefined) return known
    const shape: Shape = { properties: new Map(), required: new Set(), choices: [], readOnly: false }
    this.#collect(schema, shape, 0, new Set())
    if (shape.type === undefined && shape.properties.size > 0) shape.type = 'object'
    if (shape.type === undefined && shape.items !== undefined) shape.type = 'array'
    if (isJson(schema)) this.#shapes.set(schema, shape)
    return shape
  }

  #collect(node: unknown, shape: Shape, level: number, seen: Set<Json>): void {
    if (level > levelsMax || seen.size >= partsMax) return
    // Since OpenAPI 3.1, a reference may have more keys.
    if (isJson(node) && node['$ref'] !== undefined && Object.keys(node).length > 1) {
      const { $ref, ...more } = node
      this.#collect(more, shape, level + 1, seen)
    }
    const schema = this.resolve(node)
    if (seen.has(schema)) return
    seen.add(schema)
    const types = [schema['type']].flat().filter((type) => typeof type === 'string' && type !== 'null')
    const [type] = types
    if (shape.type === undefined && typeof type === 'string') shape.type = type
    const format = textOf(schema['format'])
    if (shape.format === undefined && format !== undefined) shape.format = format
    if (schema['items'] !== undefined) shape.items = both(shape.items, schema['items'])
    if (schema['readOnly'] === true) shape.readOnly = true
    for (const [name, property] of Object.entries(objectOf(schema['properties'])).slice(0, propertiesMax))
      shape.properties.set(name, both(shape.properties.get(name), property))
    for (const name of listOf(schema['required'])) if (typeof name === 'string') shape.required.add(name)
    for (const choice of listOf(schema['enum']))
      if (typeof choice === 'string' && shape.choices.length < 200) shape.choices.push(choice)
    for (const key of ['allOf', 'oneOf', 'anyOf'])
      for (const part of listOf(schema[key]).slice(0, 50)) this.#collect(part, shape, level + 1, seen)
  }
}

/** Joins what several parts of a schema say about the same property, or about the items of a list. */
function both(known: unknown, more: unknown): unknown {
  if (known === undefined || known === more) return more
  const parts = listOf(objectOf(known)['allOf'])
  return { allOf: parts.length > 0 && Object.keys(objectOf(known)).length === 1 ? [...parts, more] : [known, more] }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
