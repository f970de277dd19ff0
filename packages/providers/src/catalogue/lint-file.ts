import { mergeTree } from '../interpreter/merge-tree.ts'
import { pagingVariables } from '../interpreter/paging/create-pager.ts'
import { isObject } from '../interpreter/path.ts'
import { compileRequest } from '../interpreter/request.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './file-checks.ts'
import type { Authentication } from './format/authentication.ts'
import type { MetadataInput } from './format/metadata-input.ts'
import type { ProviderFileOutline, ProviderObject } from './format/provider-file.ts'
import type { Child } from './format/read.ts'
import type { Request } from './format/request.ts'
import { httpToken, type KnownFacts, lintBase } from './lint-base.ts'
import { lintCustom } from './lint-custom.ts'

/** What the schema cannot say of the file as a whole. */
export function lintFile(file: ProviderFileOutline, facts: KnownFacts | undefined): Flaw[] {
  const flaws: Flaw[] = []
  const add = (path: Flaw['path'], message: string) => flaws.push({ path, message })
  const inputs = file.inputs ?? facts?.inputs ?? []
  const variables = new Set(['workspace', ...inputs.map(({ name }) => name)])
  const checkVariables = (path: Flaw['path'], text: string | undefined) => {
    for (const name of text === undefined ? [] : parseTemplate(text).variables) {
      if (!variables.has(name)) add(path, `names the variable "${name}", which is not among the inputs`)
    }
  }

  const baseUrl = file.baseUrl ?? facts?.baseUrl
  if (baseUrl === undefined) add([], 'needs the key "baseUrl"')
  else if (file.baseUrl !== undefined) {
    checkVariables(['baseUrl'], baseUrl)
    flaws.push(...lintBase(['baseUrl'], baseUrl, inputs))
  }
  if (file.authentication === undefined && facts === undefined) add([], 'needs the key "authentication"')
  for (const [at, scheme] of (file.authentication ?? []).entries()) {
    flaws.push(...lintScheme(['authentication', at], scheme, facts, inputs))
  }
  inputs.forEach(({ name }, at) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) add(['inputs', at, 'name'], 'must be letters, digits and underscores')
  })
  if (file.healthCheck !== undefined) {
    const { path, url } = file.healthCheck
    if ((path === undefined) === (url === undefined)) add(['healthCheck'], 'needs one of "path" and "url"')
    checkVariables(['healthCheck', 'path'], path)
    checkVariables(['healthCheck', 'url'], url)
    if (path !== undefined && !path.startsWith('/')) add(['healthCheck', 'path'], 'must begin with "/"')
    if (url !== undefined) flaws.push(...lintBase(['healthCheck', 'url'], url, inputs))
  }
  for (const [name, text] of Object.entries(file.headers ?? {})) {
    if (!httpToken.test(name)) add(['headers', name], 'is no header name')
    checkVariables(['headers', name], text)
  }
  for (const [at, { status, when }] of (file.errors?.rules ?? []).entries()) {
    if (status === undefined && when === undefined) add(['errors', 'rules', at], 'needs "status", "when", or both')
  }
  if (file.modules !== undefined && (file.objects !== undefined || file.otherObjects !== undefined)) {
    add(['objects'], 'belong under a module when the provider has modules')
  }
  if (file.defaultModule !== undefined && !Object.hasOwn(file.modules ?? {}, file.defaultModule)) {
    add(['defaultModule'], 'names no module of this file')
  }
  for (const [id, module] of Object.entries(file.modules ?? {})) {
    checkVariables(['modules', id, 'baseUrl'], module.baseUrl)
    checkVariables(['modules', id, 'apiUrl'], module.apiUrl)
    if (module.apiUrl !== undefined) flaws.push(...lintBase(['modules', id, 'apiUrl'], module.apiUrl, inputs))
  }
  return flaws
}

function lintScheme(
  path: Flaw['path'],
  scheme: Authentication,
  facts: KnownFacts | undefined,
  inputs: readonly MetadataInput[],
): Flaw[] {
  if (scheme.scheme === 'apiKey' && scheme.attach !== 'basic') {
    if (scheme.name === undefined) return [{ path, message: 'needs the key "name"' }]
    if (scheme.attach === 'header' && !httpToken.test(scheme.name)) {
      return [{ path: [...path, 'name'], message: 'is no header name' }]
    }
  }
  if (scheme.scheme === 'oauth2' && facts?.authentication.some(({ scheme: known }) => known === 'oauth2') !== true) {
    const missing = (['grantType', 'tokenUrl'] as const).filter((key) => scheme[key] === undefined)
    return missing.map((key) => ({ path, message: `needs the key "${key}"` }))
  }
  return scheme.scheme === 'custom' ? lintCustom(path, scheme, { facts, inputs }) : []
}

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
