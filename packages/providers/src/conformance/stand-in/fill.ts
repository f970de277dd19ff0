import { fits, isJson, type Json } from './json-paths.ts'

/** Values of variables, by name. A name with dots goes into a value. */
export type Values = Readonly<Record<string, unknown>>

export function variableValue(values: Values, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name]
  const [head = '', ...rest] = name.split('.')
  let at = Object.hasOwn(values, head) ? values[head] : undefined
  for (const key of rest) at = isJson(at) ? at[key] : undefined
  return at
}

const variable = /\{\{\s*([\w$.-]+)\s*(?:\|\s*(\w+)\s*)?\}\}/g

/** Names of all variables in any part of a provider file. */
export function variablesIn(part: unknown): string[] {
  const text = JSON.stringify(part) ?? ''
  const values = [...text.matchAll(/"\$(?:value|spread|each|when)":"([\w$.-]+)"/g), ...text.matchAll(variable)]
  return [...new Set(values.map(([, name = '']) => name))]
}

/** The text with its variables; undefined if one has no value. */
export function filledText(text: string, values: Values, encode = (value: string, _filter?: string) => value) {
  let isWhole = true
  const filled = text.replaceAll(variable, (_, name: string, filter?: string) => {
    const value = textOf(variableValue(values, name), filter)
    if (value === undefined) isWhole = false
    return value === undefined ? '' : encode(value, filter)
  })
  return isWhole ? filled : undefined
}

function textOf(value: unknown, filter: string | undefined): string | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((one) => textOf(one, filter)).join(',')
  if (value === undefined || value === null || typeof value === 'object') return undefined
  if (value === '' && (filter === 'identifier' || filter === 'backquoted')) return undefined
  return filter === undefined ? String(value) : written(value, filter)
}

/** The filters that the guide to provider files lists. */
function written(value: unknown, filter: string): string {
  const text = String(value)
  const quotes = typeof value === 'string'
  switch (filter) {
    case 'lower':
      return text.toLowerCase()
    case 'snake':
      return text.toLowerCase().replaceAll(' ', '_')
    case 'underscored':
      return text.replaceAll(/[A-Z]/g, (letter, at: number) => (at === 0 ? letter : `_${letter}`)).toLowerCase()
    case 'constant':
      return text.toUpperCase().replaceAll('/', '_').replaceAll('.', '_')
    case 'singular':
      return text.endsWith('ies') ? `${text.slice(0, -3)}y` : text.endsWith('s') ? text.slice(0, -1) : text
    case 'pointer':
      return text.replaceAll('~', '~0').replaceAll('/', '~1')
    case 'seconds':
      return text.replace(/\.\d+Z$/, 'Z')
    case 'basename':
      return text.split('/').at(-1) ?? ''
    case 'json':
      return JSON.stringify(value)
    case 'soql':
      return quotes ? `'${text.replaceAll("'", "\\'")}'` : text
    case 'quoted':
      return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    case 'identifier':
      return `"${text.replaceAll('"', '""')}"`
    case 'backquoted':
      return `\`${text}\``
    case 'odata':
      return quotes ? `'${text.replaceAll("'", "''")}'` : text
    default:
      return text
  }
}

/** The values with those that a request composes of them. */
export function withExpressions(values: Values, expressions: unknown): Values {
  const made: Json = { ...values }
  for (const [name, declared] of Object.entries((expressions ?? {}) as Record<string, Json>)) {
    const { parts = [], join = '', before = '', after = '', otherwise } = declared
    const texts = (parts as (string | { each: string; text: string })[]).flatMap((part) =>
      typeof part === 'string'
        ? (filledText(part, made) ?? [])
        : itemsOf(made, part.each).flatMap((item) => filledText(part.text, { ...made, item }) ?? []),
    )
    made[name] = texts.length === 0 ? otherwise : `${String(before)}${texts.join(String(join))}${String(after)}`
  }
  return made
}

function itemsOf(values: Values, list: string): unknown[] {
  const found = variableValue(values, list)
  return Array.isArray(found) ? (found as unknown[]) : []
}

export function holds(when: unknown, values: Values): boolean {
  if (when === undefined) return true
  if (typeof when === 'string') return variableValue(values, when) !== undefined
  return Object.entries(when as Json).every(([name, wanted]) => fits({ v: variableValue(values, name) }, { v: wanted }))
}

/** Query parameters of a request, in any order. */
export function filledQuery(request: Json, values: Values): [string, string][] {
  const pairs: [string, string][] = []
  const add = (name: string, declared: unknown) => {
    const { $when: when, is } = isJson(declared) ? declared : { $when: undefined, is: declared }
    const value = holds(when, values) ? filledText(String(is), values) : undefined
    if (value !== undefined) pairs.push([name, value])
  }
  for (const [name, declared] of Object.entries((request['query'] ?? {}) as Json))
    for (const one of Array.isArray(declared) ? (declared as unknown[]) : [declared]) add(name, one)
  for (const { each, name, value } of (request['queryEach'] ?? []) as Record<'each' | 'name' | 'value', string>[])
    for (const item of itemsOf(values, each)) {
      const filled = filledText(name, { ...values, item })
      const text = filledText(value, { ...values, item })
      if (filled !== undefined && text !== undefined) pairs.push([filled, text])
    }
  return pairs
}

/** A body; undefined if nothing is left of it. */
export function filledBody(part: unknown, values: Values): unknown {
  if (typeof part === 'string') return filledText(part, values)
  if (Array.isArray(part)) {
    const items = part.flatMap((one: unknown) => {
      const made = filledBody(one, values)
      const isSpread = isJson(one) && '$each' in one
      return made === undefined ? [] : isSpread ? (made as unknown[]) : [made]
    })
    return items.length === 0 && part.length > 0 ? undefined : items
  }
  if (!isJson(part)) return part
  if ('$each' in part) {
    const made = itemsOf(values, String(part['$each'])).flatMap(
      (item) => filledBody(part['$item'], { ...values, item }) ?? [],
    )
    return made.length === 0 ? undefined : made
  }
  if ('$value' in part) return variableValue(values, String(part['$value']))
  if ('$row' in part) {
    const record = variableValue(values, String(part['$of'])) as Json
    return (variableValue(values, String(part['$row'])) as string[]).map((name) => record[name] ?? null)
  }
  const { $when: when, $spread: spread, $keep: keep, ...rest } = part
  if (!holds(when, values)) return undefined
  const spreadIn = typeof spread === 'string' ? variableValue(values, spread) : undefined
  const made: Json = { ...(isJson(spreadIn) ? spreadIn : {}) }
  for (const [key, one] of Object.entries(rest)) {
    const name = filledText(key, values)
    const value = filledBody(one, values)
    if (name !== undefined && value !== undefined) made[name] = value
  }
  const isNothing = Object.keys(made).length === 0 && Object.keys(rest).length > 0 && spreadIn === undefined
  return isNothing && keep !== true ? undefined : made
}
