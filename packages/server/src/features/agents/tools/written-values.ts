import { isWrite } from './declared-tools.ts'
import type { PreparedCall } from './tool-call.ts'
import { startsWith, type ToolField } from './tool-fields.ts'

type Written = Pick<PreparedCall, 'tool' | 'target' | 'fields'>

/**
 * Returns sentences about values that rules do not let an agent write, by the name of the argument: a null that would
 * remove what must have a value, and a part of a value that is hidden or read-only. The schema cannot say it of parts
 * of a value whose type is not known.
 */
export function refusedValues({ tool, target, fields }: Written, args: Record<string, unknown>): Map<string, string> {
  const refused = new Map<string, string>()
  const { fields: values } = args
  if (!isWrite(tool.action) || typeof values !== 'object' || values === null) return refused
  const byName = new Map(fields.map((field) => [field.name, field]))
  for (const [name, value] of Object.entries(values)) {
    const field = byName.get(name)
    const fault = field && faultOf({ tool, target, fields }, field, value, [])
    if (fault !== undefined) refused.set(`arguments.fields.${name}`, fault)
  }
  return refused
}

/** The reader of requests refuses values that are nested more deeply before. */
const depthMax = 64

function faultOf(call: Written, field: ToolField, value: unknown, inside: readonly string[]): string | undefined {
  const { tool, target } = call
  const path = [...field.path, ...inside]
  const name = ['arguments', 'fields', field.name, ...inside].join('.')
  if (inside.length > 0 && (target.rules.isHidden(path) || target.rules.isReadOnly(path)))
    return `${name} cannot be written by agents. Leave it out.`
  if (value === null) {
    const isRequired =
      (inside.length === 0 && field.isRequired) || target.required.some((required) => startsWith(required, path))
    if (isRequired) return `${name} cannot be null: the field is required.`
    if (inside.length === 0 && tool.action === 'update' && field.isSetIfEmpty)
      return `${name} cannot be null: it is set only where it has no value.`
  }
  if (typeof value !== 'object' || value === null || inside.length > depthMax) return undefined
  const parts = Array.isArray(value) ? value.map((item) => [undefined, item] as const) : Object.entries(value)
  for (const [key, inner] of parts) {
    // Null in a list removes no field.
    if (key === undefined && inner === null) continue
    const fault = faultOf(call, field, inner, key === undefined ? inside : [...inside, key])
    if (fault !== undefined) return fault
  }
  return undefined
}
