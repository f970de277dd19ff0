import { filledBody, filledQuery, filledText, type Values, withExpressions } from './fill.ts'
import type { SeenRequest } from './http-server.ts'
import { isJson, type Json } from './json-paths.ts'

/** A request as a file declares it, filled, in a form that can be compared. */
export interface DeclaredRequest {
  method: string
  /** Origin and path. */
  address: string
  query: string[]
  headers: Record<string, string>
  /** JSON, form or CSV; '' without a body. */
  body: string
}

/** @param base text of the base URL, its variables filled */
export function declaredRequest(request: Json, base: string, outer: Values): DeclaredRequest {
  const values = withExpressions(outer, request['expressions'])
  const { method = 'GET', headers = {}, body, encoding } = request
  const ownBase = typeof request['base'] === 'string' ? filledText(request['base'], values, inUrl) : base
  const path = filledText(String(request['path']), values, inUrl) ?? '(a variable of the path has no value)'
  const [pathname = '', inPath = ''] = path.split('?', 2)
  const made = body === undefined ? undefined : filledBody(body, values)
  const filledHeaders = Object.entries(headers as Record<string, string>).flatMap(([name, text]) => {
    const value = filledText(String(text), values)
    return value === undefined ? [] : [[name.toLowerCase(), value] as const]
  })
  return {
    method: String(method),
    address: `${withoutSlash(ownBase ?? '')}${pathname}`,
    query: [...new URLSearchParams(inPath), ...filledQuery(request, values)].map(pairText).toSorted(),
    headers: Object.fromEntries(filledHeaders),
    body: made === undefined ? '' : encoding === 'form' ? formText(made) : canonical(made),
  }
}

function inUrl(value: string, filter?: string): string {
  return filter === 'path' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)
}

function withoutSlash(base: string): string {
  return base.endsWith('/') ? base.slice(0, -1) : base
}

const pairText = ([name, value]: readonly [string, string]) => `${name}=${value}`

/** A request that arrived, in the same form. @param origin where it was sent */
export function arrivedRequest({ method, url, headers, body }: SeenRequest, origin: string): DeclaredRequest {
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
  const isCsv = headers['content-type']?.startsWith('text/csv') === true
  return {
    method,
    address: `${origin}${url.pathname}`,
    query: [...url.searchParams].map(pairText).toSorted(),
    headers,
    body:
      body === '' || isCsv ? body : isForm ? sortedPairs([...new URLSearchParams(body)]) : canonical(JSON.parse(body)),
  }
}

/** What differs between a declared request and one that arrived; empty if it is the same. */
export function differences(declared: DeclaredRequest, arrived: DeclaredRequest): string[] {
  const found = (['method', 'address', 'query', 'body'] as const).flatMap((key) => {
    const [wanted, actual] = [String(declared[key]), String(arrived[key])]
    const isSame = wanted === actual || (key === 'address' && new URL(wanted).href === actual)
    return isSame ? [] : [`${key} ${actual}, declared: ${wanted}`]
  })
  const headers = Object.entries(declared.headers).flatMap(([name, value]) =>
    arrived.headers[name] === value ? [] : [`header ${name}: ${arrived.headers[name] ?? 'none'}, declared: ${value}`],
  )
  return [...found, ...headers]
}

/** JSON with its keys in order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isJson(inner) && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [two]) => (one < two ? -1 : 1)))
      : inner,
  )
}

function formText(body: unknown): string {
  const pairs: [string, string][] = []
  const add = (name: string, value: unknown) => {
    if (isJson(value)) for (const [key, one] of Object.entries(value)) add(name === '' ? key : `${name}[${key}]`, one)
    else pairs.push([name, String(value)])
  }
  add('', body)
  return sortedPairs(pairs)
}

const sortedPairs = (pairs: [string, string][]) => pairs.map(pairText).toSorted().join('&')
