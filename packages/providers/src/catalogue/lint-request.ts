import { isObject } from '../interpreter/path.ts'
import { compileRequest } from '../interpreter/request.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './file-checks.ts'
import type { Request } from './format/request.ts'
import { httpToken } from './lint-base.ts'

/** What the schema cannot say of a request: variables that nobody fills, paths that leave the base, names of headers. */
export function lintRequest(path: Flaw['path'], request: Request, allowed: readonly string[]): Flaw[] {
  const flaws: Flaw[] = []
  if (
    !request.path.startsWith('/') ||
    /^\/[/\\]/.test(request.path) ||
    /[#\\\s]/.test(request.path.replace(/\{\{[^}]*\}\}/g, ''))
  ) {
    flaws.push({ path: [...path, 'path'], message: 'must begin with one "/" and hold no space, backslash or "#"' })
  }
  for (const name of Object.keys(request.headers ?? {})) {
    if (!httpToken.test(name)) flaws.push({ path: [...path, 'headers', name], message: 'is no header name' })
  }
  for (const { at, name } of placedVariables(request)) {
    const head = name.split('.', 1)[0] ?? name
    if (!allowed.includes(head))
      flaws.push({ path: [...path, ...at], message: `names the variable "${name}", which is not declared here` })
  }
  if (usedVariables(request) === undefined)
    flaws.push({ path: [...path, 'body'], message: 'holds a template that is none' })
  return flaws
}

/** Names of the variables of a request; `undefined` where one of its templates is none. */
export function usedVariables(request: Request): ReadonlySet<string> | undefined {
  try {
    return compileRequest(request).variables
  } catch {
    return undefined
  }
}

/** Keys of a body whose value is the name of a variable. */
const namingKeys = new Set(['$value', '$when', '$each', '$spread'])

/** Every variable of a request with the place of the text that names it. */
function placedVariables(request: Request): { at: (string | number)[]; name: string }[] {
  const found: { at: (string | number)[]; name: string }[] = []
  const walk = (value: unknown, at: (string | number)[]) => {
    if (typeof value === 'string') {
      try {
        for (const name of parseTemplate(value).variables) found.push({ at, name })
      } catch {
        found.push({ at, name: value })
      }
    } else if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, [...at, index])
    else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (namingKeys.has(key) && typeof item === 'string') found.push({ at: [...at, key], name: item })
        else {
          if (key.includes('{{')) walk(key, [...at, key])
          walk(item, [...at, key])
        }
      }
    }
  }
  for (const part of ['path', 'query', 'headers', 'body'] as const) walk(request[part], [part])
  return found
}
