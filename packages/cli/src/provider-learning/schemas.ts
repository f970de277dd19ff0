import { isJson, type Json, listOf, objectOf, textOf } from './json-values.ts'

/** References that lead to references; a longer chain is a circle. */
const chainMax = 20
/** Levels of `allOf`, `oneOf` and `anyOf` inside each other. */
const levelsMax = 8
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
    let at: unknown
    if (reference.startsWith('#')) {
      at = this.#document
      for (const part of reference.slice(1).split('/').filter(Boolean)) {
        const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
        at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined
      }
    }
    if (at === undefined && this.unresolved.size < 20) this.unresolved.add(reference.slice(0, 100))
    return at
  }

  /** Returns the shape of a schema. Of alternatives, it has the properties of all. */
  shape(schema: unknown): Shape {
    const shape: Shape = { properties: new Map(), required: new Set(), choices: [], readOnly: false }
    this.#collect(schema, shape, 0, new Set())
    if (shape.type === undefined && shape.properties.size > 0) shape.type = 'object'
    if (shape.type === undefined && shape.items !== undefined) shape.type = 'array'
    return shape
  }

  #collect(node: unknown, shape: Shape, level: number, seen: Set<Json>): void {
    const schema = this.resolve(node)
    if (level > levelsMax || seen.has(schema)) return
    seen.add(schema)
    const types = [schema['type']].flat().filter((type) => typeof type === 'string' && type !== 'null')
    const [type] = types
    if (shape.type === undefined && typeof type === 'string') shape.type = type
    const format = textOf(schema['format'])
    if (shape.format === undefined && format !== undefined) shape.format = format
    shape.items ??= schema['items']
    if (schema['readOnly'] === true) shape.readOnly = true
    for (const [name, property] of Object.entries(objectOf(schema['properties'])).slice(0, propertiesMax))
      if (!shape.properties.has(name)) shape.properties.set(name, property)
    for (const name of listOf(schema['required'])) if (typeof name === 'string') shape.required.add(name)
    for (const choice of listOf(schema['enum']))
      if (typeof choice === 'string' && shape.choices.length < 200) shape.choices.push(choice)
    for (const key of ['allOf', 'oneOf', 'anyOf'])
      for (const part of listOf(schema[key]).slice(0, 50)) this.#collect(part, shape, level + 1, seen)
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
