import type { Request } from '../catalogue/format/request.ts'
import { joinPath } from './base-url.ts'
import { isObject, own, scalarText } from './path.ts'
import { parseTemplate, render, type Template } from './template.ts'

/** Values of variables, with their types. `record.id` reads `id` of the value `record`. */
export type Scope = (name: string) => unknown

/** A request of a provider file, ready to be filled with values. */
export interface CompiledRequest {
  readonly method: string
  /** Every variable that it names. */
  readonly variables: ReadonlySet<string>
  /** URL below the base. @throws RangeError when a value would lead away from it */
  url(base: URL, scope: Scope, extraQuery: Record<string, string>): URL
  headers(scope: Scope): Record<string, string>
  /** JSON text; absent for requests without a body. */
  body(scope: Scope): string | undefined
}

/** The variables of an object and the values of a record, in one scope. Names with dots go into the value. */
export function scopeOf(values: Record<string, unknown>, outer?: Scope): Scope {
  return (name) => {
    const dot = name.indexOf('.')
    const head = dot < 0 ? name : name.slice(0, dot)
    if (!Object.hasOwn(values, head)) return outer?.(name)
    let value = values[head]
    if (dot >= 0) for (const key of name.slice(dot + 1).split('.')) value = own(value, key)
    return value
  }
}

/** A variable as text: lists joined by commas, nothing for null and objects. */
export function textOf(scope: Scope): (name: string) => string | undefined {
  return (name) => {
    const value = scope(name)
    if (!Array.isArray(value)) return scalarText(value)
    return value.length === 0 ? undefined : value.join(',')
  }
}

export function compileRequest(request: Request): CompiledRequest {
  const path = parseTemplate(request.path)
  const query = compileMap(request.query)
  const headers = compileMap(request.headers)
  const body = request.body === undefined ? undefined : compileBody(request.body)
  const variables = new Set(path.variables)
  for (const [, template] of [...query, ...headers]) for (const name of template.variables) variables.add(name)
  for (const name of body?.variables ?? []) variables.add(name)

  return {
    method: request.method ?? 'GET',
    variables,
    url(base, scope, extraQuery) {
      const text = textOf(scope)
      const filled = render(path, text, segment)
      if (filled === undefined) throw new RangeError('A value that the path needs is missing.')
      const pairs = Object.entries({ ...filledMap(query, text), ...extraQuery })
      const search = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
      return joinPath(base, search === '' ? filled : `${filled}${filled.includes('?') ? '&' : '?'}${search}`)
    },
    headers: (scope) => filledMap(headers, textOf(scope)),
    body: (scope) => (body === undefined ? undefined : JSON.stringify(body.fill(scope))),
  }
}

/** One path segment: dots alone would climb. */
function segment(value: string): string {
  if (/^\.{1,2}$/.test(value) || value === '') throw new RangeError('A value of the path is empty or only dots.')
  return encodeURIComponent(value)
}

/** Templates by name. */
export function compileMap(map: Record<string, string | number | boolean> | undefined): [string, Template][] {
  return Object.entries(map ?? {}).map(([name, text]) => [name, parseTemplate(String(text))])
}

/** The texts by name; one that names a variable without a value is left out. */
export function filledMap(
  map: [string, Template][],
  text: (name: string) => string | undefined,
): Record<string, string> {
  const filled: Record<string, string> = {}
  for (const [name, template] of map) {
    const value = render(template, text)
    if (value !== undefined) filled[name] = value
  }
  return filled
}

export interface CompiledBody {
  variables: string[]
  /** `undefined` = leave this part out; so does a list or object of which nothing is left. */
  fill(scope: Scope): unknown
}

export function compileBody(part: unknown): CompiledBody {
  if (typeof part === 'string') {
    const template = parseTemplate(part)
    return { variables: [...template.variables], fill: (scope) => render(template, textOf(scope)) }
  }
  if (Array.isArray(part)) {
    const items = part.map(compileBody)
    return {
      variables: items.flatMap(({ variables }) => variables),
      fill: (scope) => {
        const filled = items.map((item) => item.fill(scope)).filter((item) => item !== undefined)
        return filled.length === 0 && items.length > 0 ? undefined : filled
      },
    }
  }
  if (!isObject(part)) return { variables: [], fill: () => part }
  const { $value: value, $when: when, ...rest } = part
  if (typeof value === 'string') return { variables: [value], fill: (scope) => scope(value) }
  const entries = Object.entries(rest).map(([key, item]) => [key, compileBody(item)] as const)
  return {
    variables: [...entries.flatMap(([, { variables }]) => variables), ...(typeof when === 'string' ? [when] : [])],
    fill: (scope) => {
      if (typeof when === 'string' && scope(when) === undefined) return undefined
      const filled = entries
        .map(([key, item]) => [key, item.fill(scope)] as const)
        .filter(([, item]) => item !== undefined)
      return filled.length === 0 && entries.length > 0 ? undefined : Object.fromEntries(filled)
    },
  }
}
