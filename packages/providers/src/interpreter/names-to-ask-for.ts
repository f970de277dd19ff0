import { isReadObject, type ProviderObject } from '../catalogue/format/provider-file.ts'
import { associationNames } from './associations.ts'
import { planOf } from './object-plan.ts'
import { compilePattern } from './pattern.ts'
import { fieldOf, lower, nameToAskFor, withoutTwins } from './requested-names.ts'
import { scopeOf, textOf } from './scope.ts'
import { parseTemplate, render } from './template.ts'

/**
 * Returns the provider's names of the fields that a request of an object names, each once. Without one, the request is
 * one of everything.
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
    fieldNames,
    children = {},
  } = object.read ?? {}
  if (fieldNames !== undefined && fields === 'all') return []
  const wanted = fields === 'all' ? (fieldsForAll ?? (await every())) : fields
  const linked = isReadObject(object) ? associationNames(planOf(object, name).associations, wanted) : []
  const except = new Set([...fieldsExcept, ...Object.keys(children), ...linked].map(lower))
  const text = textOf(scopeOf({ ...object.set, object: name }))
  const always = fieldsAlways.flatMap((field) => render(parseTemplate(field), text) ?? [])
  const listed = [...always, ...wanted.map((field) => nameToAskFor(fieldOf(field, lift), flatten))]
  const names = withoutTwins(listed).filter((field) => !except.has(lower(field)))
  const allowed = fieldNames === undefined ? undefined : compilePattern(fieldNames)
  return allowed === undefined || names.every((field) => allowed.test(field)) ? names : []
}

/**
 * Returns the names as the provider spells them. Those that do not match the pattern are looked up among the described
 * fields, in any letter case. A name that no field has stays as it is.
 *
 * @param every returns the names of all fields; called only if a name does not match
 */
export async function spelledAsDescribed(
  names: readonly string[],
  exactNames: string | undefined,
  every: () => Promise<readonly string[]>,
): Promise<string[]> {
  const exact = exactNames === undefined ? undefined : compilePattern(exactNames)
  if (exact === undefined || names.every((name) => exact.test(name))) return [...names]
  const described = new Map((await every()).map((name) => [lower(name), name]))
  return withoutTwins(names.map((name) => (exact.test(name) ? name : (described.get(lower(name)) ?? name))))
}
