import type { KnownVariables } from '@mortise/providers/tool-requests'
import type { ToolSchema } from '../agent-tool.ts'

const whole = new Set(['arguments', 'group', 'consumer'])

/**
 * Returns what templates of a request can name: the arguments of the schema, and whom the call is for.
 *
 * @param schema undefined for a tool without arguments; null if the manifest has errors in it
 */
export function toolVariables(schema: ToolSchema | undefined | null): KnownVariables {
  const schemaOf = (name: string): ToolSchema | undefined =>
    name
      .split('.')
      .slice(1)
      .reduce<ToolSchema | undefined>(
        (at, key) => (at?.properties && Object.hasOwn(at.properties, key) ? at.properties[key] : undefined),
        schema ?? undefined,
      )
  const isArgument = (name: string) => name.startsWith('arguments.')
  return {
    fault(name) {
      if (whole.has(name) || (isArgument(name) && (schema === null || schemaOf(name)))) return undefined
      const names = Object.keys(schema?.properties ?? {}).slice(0, 20)
      const known = [...names.map((key) => `arguments.${key}`), 'group', 'consumer'].join(', ')
      return `there is no variable ${JSON.stringify(name.slice(0, 80))}; variables are ${known}`
    },
    pathFault(name) {
      if (name === 'group' || name === 'consumer' || schema === null) return undefined
      const [, first = '', ...rest] = name.split('.')
      const type = schemaOf(name)?.type
      const isPlain = type !== undefined && type !== 'object' && type !== 'array'
      const isRequired = rest.length === 0 && schema?.required?.includes(first) === true
      return isPlain && isRequired ? undefined : `"${name}" is in the path, so it is a required text, number or boolean`
    },
  }
}
