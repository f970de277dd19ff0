import { isKeyHeader, isKeyParameter } from './har-authorization.ts'
import { defined, type Json, listOf, objectOf, plainText, textOf } from './json-values.ts'
import type { Operation } from './operations.ts'
import type { References } from './schemas.ts'

/** Authentication methods of an API. */
export interface LearnedAuthentication {
  authentication: Json[]
  unknown: string[]
  /** The requests, without parameters that the credential fills. */
  operations: Operation[]
}

/** Learns the authentication methods from `securitySchemes`; those that the whole document requires come first. */
export function authenticationOf(
  document: Json,
  references: References,
  operations: readonly Operation[],
): LearnedAuthentication {
  const learned: LearnedAuthentication = { authentication: [], unknown: [], operations: [] }
  const declared = objectOf(objectOf(document['components'])['securitySchemes'])
  const preferred = listOf(document['security']).flatMap((requirement) => Object.keys(objectOf(requirement)))
  const names = [...new Set([...preferred, ...Object.keys(declared)])].filter((name) => Object.hasOwn(declared, name))
  const [server] = listOf(document['servers']).map(objectOf)
  for (const name of names.slice(0, 20)) {
    const scheme = references.resolve(declared[name])
    const methods = methodsOf(scheme, textOf(server?.['url']))
    if (typeof methods === 'string') {
      learned.unknown.push(`authentication: ${plainText(name, 60)} is left out: ${methods}`)
    } else learned.authentication.push(...methods)
  }
  const together = listOf(document['security']).some((requirement) => Object.keys(objectOf(requirement)).length > 1)
  if (together) learned.unknown.push('authentication: the document requires several methods together; use `custom`')
  if (learned.authentication.length === 0) learned.authentication.push(...methodsOfParameters(operations))
  if (learned.authentication.length === 0) {
    learned.authentication.push({ scheme: 'none' })
    learned.unknown.push('authentication unknown: no method was recognized')
  }
  learned.authentication = named(learned.authentication)
  const filled = new Set(learned.authentication.flatMap(({ attach, name }) => (attach === 'query' ? [name] : [])))
  learned.operations = operations.map((operation) => ({
    ...operation,
    query: operation.query.filter(({ name }) => !filled.has(name)),
  }))
  return learned
}

/** A document without security schemes may declare the key as a parameter of most requests. */
function methodsOfParameters(operations: readonly Operation[]): Json[] {
  const counts = new Map<string, { count: number; method: Json }>()
  const add = (key: string, method: Json) => counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, method })
  for (const { query, headers } of operations) {
    for (const { name } of query)
      if (isKeyParameter(name) && name.length <= 60) add(`query ${name}`, { scheme: 'apiKey', attach: 'query', name })
    for (const { name, description } of headers) {
      const isKey = name.toLowerCase() === 'authorization' || isKeyHeader(name)
      if (isKey) add(`header ${name}`, { scheme: 'apiKey', attach: 'header', name, ...prefixOf({ name, description }) })
    }
  }
  return [...counts.values()].flatMap(({ count, method }) => (count * 2 >= operations.length ? [method] : []))
}

/** Gives each method a unique name, and drops those that appear twice. */
function named(methods: Json[]): Json[] {
  const unique = [...new Map(methods.map((method) => [JSON.stringify(method), method])).values()]
  const counts = new Map<unknown, number>()
  return unique.map((method) => {
    const count = (counts.get(method['scheme']) ?? 0) + 1
    counts.set(method['scheme'], count)
    const { scheme, ...rest } = method
    return count === 1 ? method : { scheme, schemeName: `${String(scheme)}${count}`, ...rest }
  })
}

function methodsOf(scheme: Json, server: string | undefined): Json[] | string {
  const name = textOf(scheme['name'])
  switch (scheme['type']) {
    case 'apiKey':
      if (name === undefined || name.length > 200) return 'it has no name'
      if (scheme['in'] === 'query') return [{ scheme: 'apiKey', attach: 'query', name }]
      if (scheme['in'] === 'header') return [{ scheme: 'apiKey', attach: 'header', name, ...prefixOf(scheme) }]
      return 'keys in cookies are not supported'
    case 'http': {
      const kind = String(scheme['scheme']).toLowerCase()
      if (kind === 'basic') return [{ scheme: 'basic' }]
      if (kind === 'bearer') {
        return [{ scheme: 'apiKey', attach: 'header', name: 'Authorization', prefix: 'Bearer ' }]
      }
      return `the HTTP scheme ${plainText(kind, 40)} is not supported`
    }
    case 'oauth2':
      return oauthOf(objectOf(scheme['flows']), server)
    default:
      return `the type ${plainText(String(scheme['type']), 40)} is not supported`
  }
}

/** A key in `Authorization` nearly always has a word before it, which only the description names. */
function prefixOf({ name, description }: Json): Json {
  if (String(name).toLowerCase() !== 'authorization') return {}
  const word = /\b(Bearer|Token|Basic|ApiKey|Api-Key|Klaviyo-API-Key|SSWS|GenieKey)\b/.exec(textOf(description) ?? '')
  return word === null ? {} : { prefix: `${word[1]} ` }
}

function oauthOf(flows: Json, server: string | undefined): Json[] | string {
  const methods = ['authorizationCode', 'clientCredentials'].flatMap((grantType): Json[] => {
    const flow = objectOf(flows[grantType])
    const tokenUrl = endpointOf(flow['tokenUrl'], server)
    const authUrl = endpointOf(flow['authorizationUrl'], server)
    if (tokenUrl === undefined || (grantType === 'authorizationCode' && authUrl === undefined)) return []
    const scopes = Object.entries(objectOf(flow['scopes'])).flatMap(([scope, words]) => {
      const text = plainText(textOf(words) ?? '', 200)
      return text === '' || !/^[\x21-\x7e]{1,200}$/.test(scope) || /[{}]/.test(scope) ? [] : [[scope, text] as const]
    })
    return [
      defined({
        scheme: 'oauth2',
        grantType,
        authUrl: grantType === 'authorizationCode' ? authUrl : undefined,
        tokenUrl,
        scopeDescriptions: scopes.length === 0 ? undefined : Object.fromEntries(scopes.slice(0, 200)),
      }),
    ]
  })
  if (methods.length > 0) return methods
  const others = Object.keys(flows).map((flow) => plainText(flow, 30))
  return `its flows (${others.slice(0, 5).join(', ')}) are not supported, or have no complete URLs`
}

/** Returns an endpoint as a complete URL without variables. */
function endpointOf(url: unknown, server: string | undefined): string | undefined {
  const text = textOf(url)?.trim()
  if (text === undefined || /[{}]/.test(text)) return undefined
  const base = server !== undefined && !/[{}]/.test(server) && URL.canParse(server) ? server : undefined
  if (!URL.canParse(text, base)) return undefined
  const { protocol, username, password, href } = new URL(text, base)
  return protocol === 'https:' && username === '' && password === '' ? href : undefined
}
