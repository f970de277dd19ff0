import { nearest } from './nearest.ts'
import type { Report } from './report.ts'
import type { RuleId } from './rule-table.ts'
import { childPath, type Located, quote, type SourceLocation } from './source/located.ts'

/**
 * The keys of one mapping, read by the format's spelling whatever their upper and lower case. Each getter reports a
 * value of the wrong type and then answers `undefined`, as for an absent key; `null` counts as absent.
 */
export interface Fields {
  place: SourceLocation
  /** Where the key stands; where it is absent, the place of the mapping with the key's path. */
  at(key: string): SourceLocation
  /** Whether the key is there with a value. */
  has(key: string): boolean
  /** Whether the key is absent, without value, or blank text. */
  isBlank(key: string): boolean
  /** Text, not empty. */
  text(key: string): string | undefined
  /** Returns text that must be present and not blank. `''` replaces missing text: the rule has reported it. */
  requiredText(key: string, rule: RuleId, what: string): string
  flag(key: string, rule?: RuleId): boolean | undefined
  /** A whole number within the bounds; anything else breaks the rule. */
  integer(key: string, rule: RuleId, least: number, most?: number): number | undefined
  oneOf<T extends string>(key: string, allowed: readonly T[], rule: RuleId): T | undefined
  /** @param unknownKey the rule that an unknown key breaks */
  map(key: string, known: readonly string[], unknownKey?: RuleId): Fields | undefined
  list(key: string): { place: SourceLocation; items: Located[] } | undefined
  /** A list of texts that are not empty, with the place of each. */
  texts(key: string): { text: string; place: SourceLocation }[] | undefined
}

/**
 * Returns the fields of `value`; reports unknown keys once and ignores them. `undefined`, and reported, if `value` is
 * not a mapping.
 *
 * @param unknownKey the rule that an unknown key breaks
 */
export function readFields(
  report: Report,
  value: Located,
  known: readonly string[],
  unknownKey: RuleId = 'unknown-key',
): Fields | undefined {
  if (value.kind !== 'map') {
    wrongType(report, value, 'a mapping', `Write keys below it: ${known.slice(0, 4).join(', ')}.`)
    return undefined
  }
  const { place } = value
  const { values, keyLocations } = entriesByKey(report, value.entries, known, unknownKey)

  const reportEmpty = (key: string): void => {
    report('empty-value', fields.at(key), {
      message: `${key} has no value and counts as absent.`,
      suggestion: 'Give it a value, or remove the key.',
    })
  }

  /** The value of an optional key. */
  const find = (key: string): Located | undefined => {
    if (keyLocations.has(key) && !values.has(key)) reportEmpty(key)
    return values.get(key)
  }

  const fields: Fields = {
    place,
    at(key) {
      const found = values.get(key)
      if (found?.kind === 'scalar') return { ...found.place, path: childPath(place.path, key) }
      return keyLocations.get(key) ?? { ...place, path: childPath(place.path, key) }
    },
    has: (key) => values.has(key),
    isBlank(key) {
      const item = values.get(key)
      return item === undefined || (item.kind === 'scalar' && typeof item.value === 'string' && !item.value.trim())
    },
    text(key) {
      const item = find(key)
      if (item === undefined) return undefined
      if (!fields.isBlank(key)) return textOf(report, item)
      reportEmpty(key)
      return undefined
    },
    requiredText(key, rule, what) {
      const item = values.get(key)
      if (item !== undefined && !fields.isBlank(key)) return textOf(report, item) ?? ''
      report(rule, fields.at(key), {
        message: `${what} has ${keyLocations.has(key) ? 'an empty' : 'no'} ${key}.`,
        suggestion: `Add \`${key}: …\`.`,
      })
      return ''
    },
    flag(key, rule = 'wrong-type') {
      const item = find(key)
      if (item === undefined) return undefined
      if (item.kind === 'scalar' && typeof item.value === 'boolean') return item.value
      wrongType(report, item, 'true or false', 'Write true or false, without quotes.', rule)
      return undefined
    },
    integer(key, rule, least, most = Number.MAX_SAFE_INTEGER) {
      const item = find(key)
      if (item === undefined) return undefined
      const value = item.kind === 'scalar' ? item.value : undefined
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
      const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
      wrongType(report, item, `a whole number ${range}`, `Write a whole number ${range}, without quotes.`, rule)
      return undefined
    },
    oneOf(key, allowed, rule) {
      const item = find(key)
      if (item === undefined) return undefined
      const value = item.kind === 'scalar' ? item.value : undefined
      const match = allowed.find((candidate) => candidate === value)
      if (match !== undefined) return match
      wrongChoice(report, key, item, allowed, rule)
      return undefined
    },
    map(key, knownBelow, unknownBelow) {
      const item = find(key)
      return item && readFields(report, item, knownBelow, unknownBelow)
    },
    list(key) {
      const item = find(key)
      if (item === undefined) return undefined
      if (item.kind === 'list') return item
      wrongType(report, item, 'a list', 'Begin each item with `- `.')
      return undefined
    },
    texts(key) {
      return fields.list(key)?.items.flatMap((item) => {
        const text = textOf(report, item)
        if (text === undefined) return []
        if (text.trim() !== '') return [{ text, place: item.place }]
        wrongType(report, item, 'text', 'Give the item a value, or remove it.')
        return []
      })
    },
  }
  return fields
}

/** Returns the values by the spelling of the known keys, and where each key is. Reports unknown and duplicate keys. */
function entriesByKey(
  report: Report,
  entries: Extract<Located, { kind: 'map' }>['entries'],
  known: readonly string[],
  unknownKey: RuleId,
): { values: Map<string, Located>; keyLocations: Map<string, SourceLocation> } {
  const spelling = new Map(known.map((key) => [key.toLowerCase(), key]))
  const values = new Map<string, Located>()
  const keyLocations = new Map<string, SourceLocation>()

  for (const entry of entries) {
    const key = spelling.get(entry.key.toLowerCase())
    if (key === undefined) {
      const meant = nearest(entry.key, known)
      const isIgnored = unknownKey === 'unknown-key'
      report(unknownKey, entry.keyLocation, {
        message: `${quote(entry.key)} is not a key of this object.${isIgnored ? ' It and its contents are ignored.' : ''}`,
        suggestion: meant ? `Did you mean ${meant}?` : `Valid keys: ${known.join(', ')}.`,
      })
    } else if (keyLocations.has(key)) {
      report('yaml-duplicate-key', entry.keyLocation, {
        message: `${key} appears twice, with different case.`,
        suggestion: 'Keep one of the two.',
      })
    } else {
      keyLocations.set(key, entry.keyLocation)
      if (entry.value.kind !== 'scalar' || entry.value.value !== null) values.set(key, entry.value)
    }
  }
  return { values, keyLocations }
}

function textOf(report: Report, item: Located): string | undefined {
  if (item.kind !== 'scalar' || typeof item.value !== 'string') {
    wrongType(report, item, 'text', 'Write one piece of text.')
    return undefined
  }
  if (item.value === '__proto__') {
    report('yaml-forbidden-key', item.place, { message: '"__proto__" cannot be a name.', suggestion: 'Remove it.' })
    return undefined
  }
  return item.value
}

/** Reports a value that is none of the allowed ones. */
function wrongChoice(report: Report, key: string, item: Located, allowed: readonly string[], rule: RuleId): void {
  const value = item.kind === 'scalar' ? item.value : undefined
  const list = allowed.map((candidate) => `\`${candidate}\``).join(' or ')
  const meant = typeof value === 'string' ? nearest(value, allowed) : undefined
  report(rule, item.place, {
    message: `${key} is ${list}, not ${describe(item)}.`,
    suggestion: meant ? `Did you mean \`${meant}\`?` : `Write ${list}, or remove the key.`,
    value,
  })
}

/** Reports that `value` is not what it should be. */
function wrongType(report: Report, value: Located, due: string, suggestion: string, rule: RuleId = 'wrong-type'): void {
  const scalar = value.kind === 'scalar' ? value.value : undefined
  const needsQuotes = due === 'text' && (typeof scalar === 'number' || typeof scalar === 'boolean')
  report(rule, value.place, {
    message: `${lastKey(value.place.path)} has to be ${due}, not ${describe(value)}.`,
    suggestion: needsQuotes ? 'Put the value in quotes: YAML reads it as a number or a boolean otherwise.' : suggestion,
    value: scalar,
  })
}

function describe(value: Located): string {
  if (value.kind === 'list') return 'a list'
  if (value.kind === 'map') return 'a mapping'
  if (value.value === null) return 'nothing'
  if (typeof value.value === 'string') return `the text ${quote(value.value)}`
  return `the ${typeof value.value} ${value.value}`
}

function lastKey(path: string): string {
  return path === '$' ? 'The manifest' : path.slice(path.lastIndexOf('.') + 1)
}
