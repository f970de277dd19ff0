/** A type of Avro, with the names resolved (https://avro.apache.org/docs/1.11.1/specification/). */
export type AvroType =
  | { kind: 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string' }
  | { kind: 'record'; fields: AvroField[] }
  | { kind: 'enum'; symbols: string[] }
  | { kind: 'fixed'; size: number }
  | { kind: 'array' | 'map'; items: AvroType }
  | { kind: 'union'; types: AvroType[] }

export interface AvroField {
  name: string
  type: AvroType
}

export type AvroRecord = Extract<AvroType, { kind: 'record' }>

const primitives = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'])
const charactersMax = 2_000_000
const typesMax = 50_000
const depthMax = 64

/**
 * Parses a schema. A record may contain itself, so do not follow the types without a limit.
 *
 * @throws Error that says what is wrong
 */
export function parseAvroSchema(text: string): AvroType {
  if (text.length > charactersMax) throw new Error('the schema is too long')
  return new SchemaReader().read(JSON.parse(text), '', 0)
}

class SchemaReader {
  readonly #named = new Map<string, AvroType>()
  #types = 0

  read(schema: unknown, namespace: string, depth: number): AvroType {
    if (++this.#types > typesMax || depth > depthMax) throw new Error('the schema has too many types')
    if (typeof schema === 'string') return this.#byName(schema, namespace)
    if (Array.isArray(schema))
      return { kind: 'union', types: schema.map((one) => this.read(one, namespace, depth + 1)) }
    if (typeof schema !== 'object' || schema === null) throw new Error('the schema has something that is not a type')
    const { type, ...rest } = schema as Record<string, unknown>
    if (type === 'array' || type === 'map') {
      const items = type === 'array' ? rest['items'] : rest['values']
      return { kind: type, items: this.read(items, namespace, depth + 1) }
    }
    if (type === 'record' || type === 'enum' || type === 'fixed') return this.#definition(type, rest, namespace, depth)
    return this.read(type, namespace, depth + 1)
  }

  #byName(name: string, namespace: string): AvroType {
    if (primitives.has(name)) return { kind: name } as AvroType
    const found = this.#named.get(fullName(name, namespace)) ?? this.#named.get(name)
    if (!found) throw new Error('the schema names a type that it does not have')
    return found
  }

  #definition(
    kind: 'record' | 'enum' | 'fixed',
    { name, namespace: own, fields, symbols, size }: Record<string, unknown>,
    outer: string,
    depth: number,
  ): AvroType {
    if (typeof name !== 'string' || name === '') throw new Error('the schema has a type without a name')
    const full = fullName(name, typeof own === 'string' ? own : outer)
    if (kind === 'enum') return this.#keep(full, { kind, symbols: listOf(symbols).map(String) })
    if (kind === 'fixed') {
      if (!Number.isSafeInteger(size) || Number(size) < 0) throw new Error('the schema has a size that is not one')
      return this.#keep(full, { kind, size: Number(size) })
    }
    const record: AvroRecord = { kind, fields: [] }
    // Known before its fields: one of them may be of the same type.
    this.#keep(full, record)
    const namespace = full.slice(0, Math.max(0, full.lastIndexOf('.')))
    for (const field of listOf(fields) as { name?: unknown; type?: unknown }[]) {
      if (typeof field?.name !== 'string') throw new Error('the schema has a field without a name')
      record.fields.push({ name: field.name, type: this.read(field.type, namespace, depth + 1) })
    }
    return record
  }

  #keep<T extends AvroType>(name: string, type: T): T {
    this.#named.set(name, type)
    return type
  }
}

function fullName(name: string, namespace: string): string {
  return name.includes('.') || namespace === '' ? name : `${namespace}.${name}`
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('the schema has no list where one is needed')
  return value
}
