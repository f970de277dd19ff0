import { formBody, formType } from '../interpreter/form-body.ts'
import { type CompiledRequest, compileBody, compileRequest, type Scope, scopeOf } from '../interpreter/request.ts'
import { isHeaderValue } from '../interpreter/writing/caller-headers.ts'
import type { ToolRequest } from './tool-request.ts'

/** What the templates of a request name. */
export interface ToolValues {
  /** As the agent sent them, checked against the schema. */
  arguments: Record<string, unknown>
  group: string
  consumer: string | undefined
}

export function toolScope(values: ToolValues): Scope {
  return scopeOf({ ...values })
}

/** Compiles a request once for as long as its declaration lives. */
export function compileToolRequest(declared: ToolRequest): CompiledRequest {
  const known = compiled.get(declared) ?? compile(declared)
  compiled.set(declared, known)
  return known
}

const compiled = new WeakMap<ToolRequest, CompiledRequest>()

function compile({ method = 'GET', encoding, body, ...rest }: ToolRequest): CompiledRequest {
  const request = compileRequest({ ...rest, ...(encoding === undefined && body !== undefined && { body }) })
  if (encoding === undefined || body === undefined) return { ...request, method }
  const form = compileBody(body)
  return {
    ...request,
    method,
    variables: new Set([...request.variables, ...form.variables]),
    headers: (scope) => ({ ...request.headers(scope), 'content-type': formType }),
    body(scope) {
      const value = form.fill(scope)
      return value === undefined ? undefined : formBody(value)
    },
  }
}

/** Whether a request can be made only for a consumer. */
export function needsConsumer(declared: ToolRequest): boolean {
  return compileToolRequest(declared).variables.has('consumer')
}

/** Any base: the values of an agent decide nothing about it. */
const anyBase = new URL('https://provider.invalid')
const urlLengthMax = 8_000

/**
 * Returns why no request can be made of these values, in sentences for the agent; empty if one can. So nothing that an
 * agent writes leaves its path segment, adds a parameter or a header, or begins another line.
 */
export function toolRequestFaults(declared: ToolRequest, values: ToolValues): string[] {
  const request = compileToolRequest(declared)
  const scope = toolScope(values)
  const faults: string[] = []
  const attempt = (check: () => void) => {
    try {
      check()
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      faults.push(error.message)
    }
  }
  attempt(() => {
    const { href, pathname } = request.url(anyBase, scope, {})
    if (isClimbing(pathname)) throw new RangeError('A value of the path has a "." or ".." segment.')
    if (encodedControl.test(pathname)) throw new RangeError('A value of the path has a control character.')
    if (href.length > urlLengthMax) throw new RangeError('The values are too long for the address of the request.')
  })
  attempt(() => {
    for (const [name, value] of Object.entries(request.headers(scope)))
      if (!isHeaderValue(value))
        throw new RangeError(`The value of the header ${name} has characters that none can have.`)
  })
  attempt(() => request.body(scope))
  return faults
}

/** Many servers decode `%2F` before they resolve dot segments, and some cut a segment at `;`. */
const separator = /\/|%2f|%5c|;|%3b/i
const dotSegment = /^(?:\.|%2e){1,2}$/i
const encodedControl = /%(?:[01][0-9a-f]|7f)/i

function isClimbing(pathname: string): boolean {
  return pathname.split(separator).some((segment) => dotSegment.test(segment))
}
