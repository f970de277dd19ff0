import { mergeTree } from '../interpreter/merge-tree.ts'
import { pagingVariables } from '../interpreter/paging/create-pager.ts'
import { isObject } from '../interpreter/path.ts'
import { compileRequest } from '../interpreter/request.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './file-checks.ts'
import type { ProviderObject } from './format/provider-file.ts'
import type { Child } from './format/read.ts'
import type { Request } from './format/request.ts'
import { httpToken } from './lint-base.ts'

/** What the schema cannot say of an object: variables, paging that would not move, a window that filters nothing. */
export function lintObject(object: ProviderObject, connectionVariables: Iterable<string>): Flaw[] {
  const flaws: Flaw[] = []
  const shared = ['workspace', 'object', ...connectionVariables, ...Object.keys(object.set ?? {})]
  const { read, incremental } = object
  const window = incremental === undefined ? [] : ['since', 'until']
  flaws.push(...lintListing(['read'], read, [...shared, ...window, 'fields']))
  for (const [name, child] of Object.entries(read.children ?? {})) {
    flaws.push(...lintListing(['read', 'children', name], child, [...shared, 'record']))
  }
  if (incremental !== undefined) {
    const merged = mergeTree(read, incremental.read ?? {})
    if (incremental.read !== undefined) {
      flaws.push(...lintListing(['incremental', 'read'], merged, [...shared, ...window, 'fields']))
    }
    const filters = incremental.filter !== undefined || usedVariables(merged)?.has('since') === true
    if (!filters) flaws.push({ path: ['incremental'], message: 'neither sends {{since}} nor declares a filter' })
  }
  object.fields?.forEach((source, at) => {
    if (source.source === 'live' || source.source === 'choices') {
      flaws.push(...lintListing(['fields', at], source, shared))
    } else if (source.source === 'required') flaws.push(...lintRequest(['fields', at], source, shared))
  })
  return flaws
}

function lintListing(path: Flaw['path'], listing: Child, allowed: readonly string[]): Flaw[] {
  const { paging } = listing
  const flaws = lintRequest(path, listing, [...allowed, 'pageSize', ...pagingVariables[paging?.kind ?? 'none']])
  const used = usedVariables(listing)
  if (paging === undefined || used === undefined) return flaws
  const mustName = { cursor: 'cursor', page: 'page', offset: 'offset', keyset: 'afterKey' }
  const needed: string[] = paging.kind in mustName ? [mustName[paging.kind as keyof typeof mustName]] : []
  if (paging.kind === 'cursor') {
    if (paging.restart !== undefined) needed.push('afterKey')
    if ((paging.next === undefined) === (paging.nextHeader === undefined)) {
      flaws.push({ path: [...path, 'paging'], message: 'needs one of "next" and "nextHeader"' })
    }
  }
  for (const name of needed) {
    if (!used.has(name)) {
      flaws.push({
        path: [...path, 'paging'],
        message: `would read the first page for ever: no request names {{${name}}}`,
      })
    }
  }
  return flaws
}

function lintRequest(path: Flaw['path'], request: Request, allowed: readonly string[]): Flaw[] {
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

function usedVariables(request: Request): ReadonlySet<string> | undefined {
  try {
    return compileRequest(request).variables
  } catch {
    return undefined
  }
}

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
        if ((key === '$value' || key === '$when') && typeof item === 'string')
          found.push({ at: [...at, key], name: item })
        else walk(item, [...at, key])
      }
    }
  }
  for (const part of ['path', 'query', 'headers', 'body'] as const) walk(request[part], [part])
  return found
}
