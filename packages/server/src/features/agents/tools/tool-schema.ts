import { type AgentAction, orNull, type ToolSchema } from '@mortise/manifest'
import { isSafeValue, safeText } from './safe-text.ts'
import type { ToolField } from './tool-fields.ts'

/** More values do not fit a definition that a model reads with each request. */
const valuesMax = 50

export const idSchema: ToolSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 512,
  description: 'Id of the record, as another tool returned it.',
}

/** Returns the schema of the arguments of a tool. Null removes the value of a field that need not have one. */
export function argumentsSchema(
  action: AgentAction,
  fields: readonly ToolField[],
  { recordsMax }: { recordsMax: number },
): ToolSchema {
  const paging = {
    limit: { type: 'integer', minimum: 1, maximum: recordsMax, description: 'Records to return at most.' },
    cursor: {
      type: 'string',
      maxLength: 20_000,
      description: '`nextCursor` of the result before, with the same other arguments.',
    },
  } satisfies Record<string, ToolSchema>
  const conditions = () =>
    Object.fromEntries(
      fields.filter(({ isCondition }) => isCondition).map((field) => [field.name, fieldSchema(field, false)]),
    )
  const written = (of: (field: ToolField) => boolean, needsValue: (field: ToolField) => boolean) =>
    Object.fromEntries(
      fields.filter(of).map((field) => {
        const schema = fieldSchema(field, true)
        return [field.name, needsValue(field) ? schema : orNull(schema)]
      }),
    )
  switch (action) {
    case 'search':
      return object(
        {
          where: {
            ...object(conditions()),
            minProperties: 1,
            description: 'Values that fields must be equal to. A record fits all of them.',
          },
          ...paging,
        },
        ['where'],
      )
    case 'list':
      return object(paging)
    case 'get':
    case 'delete':
      return object({ id: idSchema }, ['id'])
    case 'create': {
      const required = fields.filter(({ isCreated, metadata }) => isCreated && metadata?.isRequired === true)
      const values = object(
        written(
          ({ isCreated }) => isCreated,
          ({ isRequired }) => isRequired,
        ),
        required.map(({ name }) => name),
      )
      return object({ fields: { ...values, minProperties: 1, description: 'Values of the new record.' } }, ['fields'])
    }
    case 'update': {
      const values = object(
        written(
          ({ isUpdated }) => isUpdated,
          ({ isRequired, isSetIfEmpty }) => isRequired || isSetIfEmpty,
        ),
      )
      const description = 'The values that change. Null removes a value.'
      return object({ id: idSchema, fields: { ...values, minProperties: 1, description } }, ['id', 'fields'])
    }
  }
}

function object(properties: Record<string, ToolSchema>, required: string[] = []): ToolSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
}

function fieldSchema(field: ToolField, isWrite: boolean): ToolSchema {
  const { metadata, name } = field
  const label = metadata && safeText(metadata.displayName)
  const description = label !== undefined && label !== name ? { description: `Labeled “${label}”.` } : {}
  const values = valuesOf(field, isWrite)
  switch (metadata?.valueType) {
    case 'boolean':
      return { type: 'boolean', ...description }
    case 'int':
      return { type: 'integer', ...description }
    case 'float':
      return { type: 'number', ...description }
    case 'date':
      return { type: 'string', format: 'date', ...description }
    case 'datetime':
      return { type: 'string', format: 'date-time', ...description }
    case 'string':
    case 'reference':
      return { type: 'string', ...description }
    case 'singleSelect':
      return { type: 'string', ...values, ...description }
    case 'multiSelect':
      return isWrite
        ? { type: 'array', items: { type: 'string', ...values }, ...description }
        : { type: 'string', ...values, ...description }
    default:
      return description
  }
}

/** Returns the values to choose from, by the names that the tool takes; nothing if they cannot be listed. */
function valuesOf({ metadata, values, writesValues }: ToolField, isWrite: boolean): { enum?: string[] } {
  const provided = metadata?.values?.map(({ value }) => value) ?? []
  const delivered = new Map(Object.entries(values ?? {}).map(([to, from]) => [String(from), to]))
  const isDelivered = !isWrite || writesValues
  const listed = [...new Set(provided.map((value) => (isDelivered ? delivered.get(value) : undefined) ?? value))]
  if (listed.length === 0 || listed.length > valuesMax || !listed.every(isSafeValue)) return {}
  return { enum: listed }
}
