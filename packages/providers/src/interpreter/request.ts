import type { Request } from '../catalogue/format/request.ts'
import { joinPath, resolveBaseUrl } from './base-url.ts'
import { compileExpressions } from './expressions.ts'
import { formBody, formType } from './form-body.ts'
import type { Filter } from './quoting.ts'
import { compileBody } from './request-body.ts'
import { compileQuery } from './request-query.ts'
import type { ResponseFormat } from './response-format.ts'
import { type Scope, textOf } from './scope.ts'
import { parseTemplate, render, type Template, type Variables } from './template.ts'

export { type CompiledBody, compileBody } from './request-body.ts'
export { type Scope, scopeOf, textOf } from './scope.ts'

/** A request of a provider file, ready to be filled with values. */
export interface CompiledRequest {
  readonly method: string
  /** Format of a success. */
  readonly format: ResponseFormat | undefined
  /** Every variable that it names. */
  readonly variables: ReadonlySet<string>
  /** The scope with the variables that the request composes: a body that is written elsewhere reads them, too. */
  within(scope: Scope): Scope
  /** The base URL of this request, where it declares its own, or else the given one. @throws InvalidInputs */
  base(given: URL, scope: Scope): URL
  /** URL below the base. @throws RangeError when a value would lead away from it */
  url(base: URL, scope: Scope, extraQuery: Record<string, string>): URL
  headers(scope: Scope): Record<string, string>
  /** JSON text or a form; absent for requests without a body. */
  body(scope: Scope): string | undefined
}

export function compileRequest(request: Request): CompiledRequest {
  const path = parseTemplate(request.path)
  const query = compileQuery(request)
  const headers = compileMap(request.headers)
  const body = request.body === undefined ? undefined : compileBody(request.body)
  const isForm = body !== undefined && request.encoding === 'form'
  const written = isForm ? formBody : JSON.stringify
  const expressions = compileExpressions(request.expressions)
  const ownBase = request.base
  const ofBase = ownBase === undefined ? [] : parseTemplate(ownBase).variables
  const variables = new Set([...ofBase, ...path.variables, ...query.variables, ...(body?.variables ?? [])])
  for (const [, template] of headers) for (const name of template.variables) variables.add(name)
  for (const name of expressions.names) variables.delete(name)
  for (const name of expressions.variables) variables.add(name)

  return {
    method: request.method ?? 'GET',
    format: request.format,
    variables,
    within: (scope) => expressions.over(scope),
    base: (given, scope) => (ownBase === undefined ? given : resolveBaseUrl(ownBase, textOf(scope))),
    url(base, outer, extraQuery) {
      const scope = expressions.over(outer)
      const filled = render(path, textOf(scope), inPath)
      if (filled === undefined) throw new RangeError('A value that the path needs is missing.')
      const own = query.fill(scope).filter(([name]) => !Object.hasOwn(extraQuery, name))
      const pairs = [...own, ...Object.entries(extraQuery)]
      const search = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
      return joinPath(base, search === '' ? filled : `${filled}${filled.includes('?') ? '&' : '?'}${search}`)
    },
    headers: (scope) => ({
      ...(isForm && { 'content-type': formType }),
      ...filledMap(headers, textOf(expressions.over(scope))),
    }),
    body: (scope) => (body === undefined ? undefined : written(body.fill(expressions.over(scope)))),
  }
}

/** A value in a path: one segment, or several where the file says so. */
function inPath(value: string, filter: Filter | undefined): string {
  return filter === 'path' ? value.split('/').map(segment).join('/') : segment(value)
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
export function filledMap(map: [string, Template][], text: Variables): Record<string, string> {
  const filled: Record<string, string> = {}
  for (const [name, template] of map) {
    const value = render(template, text)
    if (value !== undefined) filled[name] = value
  }
  return filled
}
