import { isReadObject, type ProviderObject } from '../catalogue/format/provider-file.ts'
import { associationNames } from './associations.ts'
import { planOf } from './object-plan.ts'
import { fieldOf, lower, nameToAskFor, withoutTwins } from './requested-names.ts'
import { scopeOf, textOf } from './scope.ts'
import { parseTemplate, render } from './template.ts'

/**
 * Returns the provider's names of the fields that a request of an object names, each once.
 *
 * @param every returns the names of all its fields; called only if the object declares none for `all`
 */
export async function namesToAskFor(
  name: string,
  object: ProviderObject,
  fields: 'all' | readonly string[],
  every: () => Promise<readonly string[]>,
): Promise<string[]> {
  const {
    flatten = [],
    lift = {},
    fieldsExcept = [],
    fieldsAlways = [],
    fieldsForAll,
    children = {},
  } = object.read ?? {}
  const wanted = fields === 'all' ? (fieldsForAll ?? (await every())) : fields
  const linked = isReadObject(object) ? associationNames(planOf(object, name).associations, wanted) : []
  const except = new Set([...fieldsExcept, ...Object.keys(children), ...linked].map(lower))
  const text = textOf(scopeOf({ ...object.set, object: name }))
  const always = fieldsAlways.flatMap((field) => render(parseTemplate(field), text) ?? [])
  const listed = [...always, ...wanted.map((field) => nameToAskFor(fieldOf(field, lift), flatten))]
  return withoutTwins(listed).filter((field) => !except.has(lower(field)))
}
