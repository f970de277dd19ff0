import type { KnownVariables } from '@mortise/providers/tool-requests'
import type { KnownArguments, KnownObject } from './tool-schema.ts'

const whole = new Set(['arguments', 'group', 'consumer'])

/**
 * Returns what templates of a request can name: the arguments of the schema, and whom the call is for.
 *
 * @param known what is known of the arguments; undefined for a tool without arguments
 */
export function toolVariables(known: KnownArguments | undefined): KnownVariables {
  const argument = (name: string): KnownArguments | undefined => {
    let at = known
    for (const key of name.split('.').slice(1)) {
      if (at === undefined || at === 'unknown') return at
      at = 'properties' in at ? at.properties.get(key) : undefined
    }
    return at
  }
  const isArgument = (name: string) => name.startsWith('arguments.')
  return {
    fault(name) {
      if (whole.has(name) || (isArgument(name) && argument(name) !== undefined)) return undefined
      const names = isObject(known) ? [...known.properties.keys()].slice(0, 20) : []
      const variables = [...names.map((key) => `arguments.${key}`), 'group', 'consumer'].join(', ')
      return `there is no variable ${JSON.stringify(name.slice(0, 80))}; variables are ${variables}`
    },
    pathFault(name) {
      if (name === 'group' || name === 'consumer' || known === 'unknown') return undefined
      const [, first = '', ...rest] = name.split('.')
      const found = argument(name)
      const isPlain =
        found === 'unknown' ||
        (found !== undefined && !found.takesNull && found.type !== 'object' && found.type !== 'array')
      const required = isObject(known) ? known.required : []
      const isRequired = rest.length === 0 && (required === 'unknown' || required.includes(first))
      return isPlain && isRequired
        ? undefined
        : `"${name}" is in the path, so it is a required text, number or boolean, and not null`
    },
    bodyTextFault(name) {
      const found = argument(name)
      if (found === undefined || found === 'unknown' || !found.takesNull) return undefined
      return `"${name}" can be null, and a text would leave it out: write { $value: ${name} } in place of the text`
    },
  }
}

function isObject(known: KnownArguments | undefined): known is KnownObject {
  return known !== undefined && known !== 'unknown' && 'properties' in known
}
