import { isObject } from '../interpreter/path.ts'
import { compileRequest } from '../interpreter/request.ts'
import { parseTemplate } from '../interpreter/template.ts'
import { didYouMean } from './did-you-mean.ts'
import type { Flaw } from './flaw.ts'
import type { Request } from './format/request.ts'
import { httpToken, lintBase } from './lint-base.ts'

/**
 * What the schema cannot say of a request: variables that nobody fills, paths that leave the base, names of headers.
 */
export function lintRequest(path: Flaw['path'], request: Request, allowed: readonly string[]): Flaw[] {
  const flaws: Flaw[] = []
  if (
    !request.path.startsWith('/') ||
    /^\/[/\\]/.test(request.path) ||
    /[#\\\s]/.test(request.path.replace(/\{\{[^{}]*\}\}/g, 'x'))
  ) {
    const isUrl = /^https?:\/\//.test(request.path)
    flaws.push({
      path: [...path, 'path'],
      message: isUrl
        ? 'is a URL; write what follows the base URL, such as /contacts, and another host in `base`'
        : 'must start with one "/", and may not contain spaces, backslashes or "#"',
    })
  }
  flaws.push(...lintOtherVariables(path, request, allowed))
  if (request.base !== undefined) flaws.push(...lintBase([...path, 'base'], request.base, []))
  for (const name of Object.keys(request.headers ?? {})) {
    if (!httpToken.test(name)) flaws.push({ path: [...path, 'headers', name], message: 'is not a valid header name' })
  }
  const known = [...allowed, ...Object.keys(request.expressions ?? {})]
  for (const { at, name } of variablesInPlace(request)) {
    const head = name.split('.', 1)[0] ?? name
    if (allowed.includes(head) || Object.hasOwn(request.expressions ?? {}, head)) continue
    const needed = path.length === 1 && path[0] === 'read' ? needs[head] : undefined
    const why =
      needed === undefined ? `is not declared here${didYouMean(head, known)}` : `needs ${needed} of the object`
    flaws.push({ path: [...path, ...at], message: `uses the variable "${name}", which ${why}` })
  }
  if (usedVariables(request) === undefined)
    flaws.push({ path: [...path, 'body'], message: 'contains an invalid template' })
  return flaws
}

/** What a list needs for its variables. */
const needs: Record<string, string> = {
  since: '`incremental`',
  until: '`incremental`',
  parent: '`read.each`',
  period: '`read.periods`',
}

/** Keys of a body that insert values. */
const insertingKeys = ['$value', '$when', '$keep', '$each', '$item', '$key', '$spread', '$row', '$of']

/** Variables that requests usually have, declared or not. */
const usual = ['since', 'until', 'pageSize', 'cursor', 'page', 'offset', 'afterKey', 'id']

/** Keys of bodies that APIs have: .NET wraps lists in `$values`, and query languages have the others. */
const keysOfApis = ['$values', '$keys', '$search', '$then']

/**
 * Variables as other formats write them, and keys of a body that insert nothing: all would be sent as they stand.
 * Texts of a body may be any, and so may a part of a path, unless it has the name of a variable.
 */
function lintOtherVariables(path: Flaw['path'], request: Request, allowed: readonly string[]): Flaw[] {
  const flaws: Flaw[] = []
  const isVariable = (name: string) => [...allowed, ...usual].includes(name.split('.', 1)[0] ?? name)
  const wrong = otherVariable(request.path, isVariable)
  if (wrong !== undefined) {
    const message = `would send "${wrong.written}" as it stands; a variable is {{name}}, such as {{${wrong.name}}}`
    flaws.push({ path: [...path, 'path'], message })
  }
  for (const key of ['query', 'headers'] as const)
    for (const [at, text] of textsOf(request[key], [...path, key])) {
      const name = /^\$?\{([A-Za-z_][\w.]*)\}$/.exec(text)?.[1]
      if (name !== undefined && isVariable(name))
        flaws.push({ path: at, message: `would send "${text}" as it stands; write {{${name}}}` })
    }
  const walk = (value: unknown, at: Flaw['path']): void => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, [...at, index])
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) {
        if (key.startsWith('$') && !insertingKeys.includes(key) && !keysOfApis.includes(key)) {
          const meant = didYouMean(key, insertingKeys)
          if (meant !== '') flaws.push({ path: [...at, key], message: `would be sent as it stands${meant}` })
        }
        walk(item, [...at, key])
      }
  }
  walk(request.body, [...path, 'body'])
  return flaws
}

/** The first `{name}` or `:name` of a path: a whole segment of it, or anywhere the name of a variable. */
function otherVariable(
  path: string,
  isVariable: (name: string) => boolean,
): { written: string; name: string } | undefined {
  const [fixed = ''] = path.replace(/\{\{[^{}]*\}\}/g, 'x').split('?', 1)
  for (const segment of fixed.split('/')) {
    const whole = /^(?::([A-Za-z_]\w*)|\{([A-Za-z_][\w.]*)\})$/.exec(segment)
    const name = whole?.[1] ?? whole?.[2]
    if (name !== undefined) return { written: segment, name }
    for (const [written, inside = ''] of segment.matchAll(/\{([A-Za-z_][\w.]*)\}/g))
      if (isVariable(inside)) return { written, name: inside }
  }
  return undefined
}

/** Every text of a part of a request, with its place. */
function textsOf(value: unknown, at: Flaw['path']): [Flaw['path'], string][] {
  if (typeof value === 'string') return [[at, value]]
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => textsOf(item, [...at, index]))
  return isObject(value) ? Object.entries(value).flatMap(([key, item]) => textsOf(item, [...at, key])) : []
}

/** Names of the variables of a request; `undefined` where one of its templates is none. */
export function usedVariables(request: Omit<Request, 'path'> & { path?: string }): ReadonlySet<string> | undefined {
  try {
    return compileRequest({ path: '/', ...request }).variables
  } catch {
    return undefined
  }
}

/** Keys of a body whose value is the name of a variable. */
const namingKeys = new Set(['$value', '$when', '$each', '$spread', '$row', '$of'])

/** Every variable of a request with the place of the text that names it. */
function variablesInPlace(request: Request): { at: (string | number)[]; name: string }[] {
  const found: { at: (string | number)[]; name: string }[] = []
  /** @param inItem where the variable `item` is one of a list's */
  const walk = (value: unknown, at: (string | number)[], inItem: boolean) => {
    if (typeof value === 'string') {
      for (const name of variablesOf(value)) if (!inItem || !isItem(name)) found.push({ at, name })
    } else if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, [...at, index], inItem)
    else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (key === '$when' && isObject(item)) {
          for (const name of Object.keys(item)) if (!inItem || !isItem(name)) found.push({ at: [...at, key], name })
        } else if (namingKeys.has(key) && typeof item === 'string') {
          if (!inItem || !isItem(item)) found.push({ at: [...at, key], name: item })
        } else {
          if (key.includes('{{')) walk(key, [...at, key], inItem)
          walk(item, [...at, key], inItem || key === '$item' || key === '$key')
        }
      }
    }
  }
  for (const part of ['base', 'path', 'query', 'headers', 'body'] as const) walk(request[part], [part], false)
  for (const [index, { each, name, value }] of (request.queryEach ?? []).entries()) {
    found.push({ at: ['queryEach', index, 'each'], name: each })
    walk([name, value], ['queryEach', index], true)
  }
  for (const [expression, { parts }] of Object.entries(request.expressions ?? {})) {
    for (const [index, part] of parts.entries()) {
      const at = ['expressions', expression, 'parts', index]
      if (typeof part === 'string') walk(part, at, false)
      else {
        found.push({ at: [...at, 'each'], name: part.each })
        walk(part.text, [...at, 'text'], true)
      }
    }
  }
  return found
}

function isItem(name: string): boolean {
  return name === 'item' || name.startsWith('item.')
}

/** Returns the variables of a text; the text itself if it is not a template, which another check reports. */
function variablesOf(text: string): readonly string[] {
  try {
    return parseTemplate(text).variables
  } catch {
    return [text]
  }
}
