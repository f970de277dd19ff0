/** The parts of JSON Schema (draft-07, the one that YAML editors know best) that the schema uses. */
export interface JsonSchema {
  $schema?: string
  $id?: string
  title?: string
  description?: string
  type?: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  properties?: Record<string, JsonSchema>
  required?: string[]
  minProperties?: number
  additionalProperties?: boolean
  items?: JsonSchema
  enum?: readonly unknown[]
  anyOf?: JsonSchema[]
  default?: unknown
  examples?: unknown[]
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
}

export const text = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  minLength: 1,
  description,
  ...more,
})
export const flag = (description: string): JsonSchema => ({ type: 'boolean', description })
export const list = (items: JsonSchema, description: string): JsonSchema => ({ type: 'array', items, description })
export const object = (
  description: string,
  properties: Record<string, JsonSchema>,
  required: string[] = [],
): JsonSchema => ({
  type: 'object',
  description,
  properties,
  ...(required.length > 0 && { required }),
})
