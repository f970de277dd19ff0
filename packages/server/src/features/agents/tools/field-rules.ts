import { type AgentObject, parseBracketPath } from '@mortise/manifest'

/** A provider field and the name that the builder gives it. */
export interface NamedField {
  from: string
  to: string
}

/** The rules of an object for one installation, by the path of a provider field. */
export interface FieldRules {
  isHidden(path: readonly string[]): boolean
  isMasked(path: readonly string[]): boolean
  isReadOnly(path: readonly string[]): boolean
  /** Returns a value without what is hidden in it, and with what is masked replaced. */
  shown(value: unknown, path: readonly string[]): unknown
}

/** What agents see in place of a masked value. */
export const masked = '[masked]'

/** A value that is nested more deeply is left out. */
const depthMax = 32

/**
 * Compiles the rules for fields. A rule names a field by the builder's name or by the provider's, in any case, and
 * covers both. It also covers everything in the field, and a field of that name inside another one: the same value can
 * be mapped from several paths, and a rule must not miss one of them.
 */
export function fieldRules(
  { hiddenFields = [], maskedFields = [], readOnlyFields = [] }: AgentObject,
  named: readonly NamedField[],
): FieldRules {
  const hidden = matcher(hiddenFields, named)
  const masking = matcher(maskedFields, named)
  const readOnly = matcher(readOnlyFields, named)
  const isHidden = (path: readonly string[]) => covers(hidden, path)
  const isMasked = (path: readonly string[]) => covers(masking, path)

  const shown = (value: unknown, path: readonly string[], depth = 0): unknown => {
    if (depth > depthMax || endsWithOne(hidden, path)) return undefined
    if (value !== null && value !== undefined && endsWithOne(masking, path)) return masked
    if (Array.isArray(value)) return value.map((item) => shown(item, path, depth + 1) ?? null)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]) => {
        const kept = shown(inner, [...path, key], depth + 1)
        return kept === undefined ? [] : [[key, kept]]
      }),
    )
  }
  return {
    isHidden,
    isMasked,
    isReadOnly: (path) => covers(readOnly, path),
    shown: (value, path) => (isHidden(path) ? undefined : isMasked(path) ? maskedOf(value) : shown(value, path)),
  }
}

function maskedOf(value: unknown): unknown {
  return value === null || value === undefined ? value : masked
}

/** Returns the path of a field: of one name, or in bracket form. */
export function pathOf(field: string): string[] {
  return parseBracketPath(field) ?? [field]
}

/** Returns the provider fields that a name of a rule means. */
export function fieldsNamed(name: string, named: readonly NamedField[]): string[] {
  const wanted = name.toLowerCase()
  const mapped = named.filter(({ to }) => to.toLowerCase() === wanted).map(({ from }) => from)
  return mapped.length > 0 ? mapped : [name]
}

function matcher(names: readonly string[], named: readonly NamedField[]): string[][] {
  return names.flatMap((name) =>
    [...new Set([name, ...fieldsNamed(name, named)])].map((field) => lowered(pathOf(field))),
  )
}

/** Whether a field or one that it is in ends with one of the paths. */
function covers(rules: readonly string[][], path: readonly string[]): boolean {
  if (rules.length === 0) return false
  return path.some((_, index) => endsWithOne(rules, path.slice(0, index + 1)))
}

function endsWithOne(rules: readonly string[][], path: readonly string[]): boolean {
  return rules.some((rule) => {
    const from = path.length - rule.length
    return from >= 0 && rule.every((name, index) => path[from + index]?.toLowerCase() === name)
  })
}

function lowered(path: readonly string[]): string[] {
  return path.map((name) => name.toLowerCase())
}
