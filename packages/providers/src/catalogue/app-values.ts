import { isObject } from '../interpreter/path.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'
import { lintUrl } from './lint-hosts.ts'

/** A setting of the provider app that a text names, and the place of the text. */
interface Use {
  at: (string | number)[]
  /** Empty: all settings. */
  name: string
  /** Whether the text is part of the requests about webhooks, which have the settings that are not secret. */
  isOfWebhooks: boolean
}

/** Parts of a request that may contain settings of the provider app. */
const mayHold = new Set(['headers', 'query', 'body'])
/** Keys of a request whose texts become a part of its address, or of other texts. */
const mayNot = new Set([
  'base',
  'path',
  'url',
  'baseUrl',
  'apiUrl',
  'expressions',
  'queryEach',
  'authentication',
  'mcp',
  'stream',
])
/** Keys of a body whose value is the name of a variable. */
const naming = new Set(['$value', '$when', '$each', '$spread'])

/** Returns the names of the settings of the provider app that requests use. */
export function appValuesOf(file: ProviderFileOutline): string[] {
  const names = usesIn(file).flatMap(({ name, isOfWebhooks }) => (isOfWebhooks || name === '' ? [] : [name]))
  return [...new Set(names)].sort()
}

/**
 * Checks that settings of the provider app are declared, and that none can get to a host that a customer chooses or
 * into an address, which logs contain.
 */
export function lintAppValues(file: ProviderFileOutline): Flaw[] {
  const params = file.appMetadata?.providerParams ?? []
  const declared = new Map(params.map((param) => [param.name, param]))
  const hasOwnApp = file.inputs?.some(({ name }) => name === 'app') === true
  const uses = usesIn(file)
  const flaws: Flaw[] = params.flatMap(({ name }, index) =>
    (name === 'clientId' || name === 'clientSecret') && uses.some((use) => use.name === name && !use.isOfWebhooks)
      ? [{ path: ['appMetadata', 'providerParams', index, 'name'], message: `is "${name}", a name that every app has` }]
      : [],
  )
  flaws.push(
    ...uses.flatMap(({ at, name, isOfWebhooks }): Flaw[] => {
      const variable = `uses the variable "app.${name}"`
      const secret = declared.get(name)?.secret === true
      if (name === '')
        return hasOwnApp || isOfWebhooks || params.length === 0
          ? []
          : [{ path: at, message: 'uses the variable "app", which has all settings of the provider app; name one' }]
      if (isOfWebhooks)
        return secret
          ? [{ path: at, message: `${variable}, which is secret; requests of webhooks cannot have it` }]
          : []
      if (!declared.has(name) && name !== 'clientId')
        return [{ path: at, message: `${variable}, which "appMetadata.providerParams" does not declare` }]
      if (isPlaceFor(at)) return []
      return [{ path: at, message: `${variable}, which only "headers", "query" and "body" of requests can have` }]
    }),
  )
  if (hasOwnApp && uses.some(({ name }) => name !== ''))
    flaws.push({ path: ['inputs'], message: 'declares "app", which is the name of settings of the provider app' })
  if (uses.every(({ name, isOfWebhooks }) => isOfWebhooks || name === '')) return flaws
  if (!(file.authentication ?? []).some(({ scheme }) => scheme === 'oauth2' || scheme === 'custom'))
    flaws.push({ path: ['appMetadata'], message: 'needs OAuth or custom authentication: no other provider has apps' })
  if (uses.some(({ name, isOfWebhooks }) => name === 'clientId' && !isOfWebhooks) && !hasClients(file))
    flaws.push({
      path: ['authentication'],
      message: 'has a method without the client of the provider app, and "app.clientId" is its id',
    })
  return [...flaws, ...lintBases(file)]
}

/** Whether every connection is made with the OAuth client of a provider app, and none with one of the customer. */
function hasClients({ authentication = [] }: ProviderFileOutline): boolean {
  return authentication.every(
    (scheme) =>
      scheme.scheme === 'oauth2' &&
      scheme.discover === undefined &&
      scheme.grantType?.startsWith('authorizationCode') === true,
  )
}

/** Every request may carry a setting, so no customer may choose the host of one. */
function lintBases(file: ProviderFileOutline): Flaw[] {
  const found: { at: Flaw['path']; text: string }[] = []
  const walk = (value: unknown, at: (string | number)[]): void => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, [...at, index])
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) {
        const isAddress = key === 'base' || key === 'baseUrl' || key === 'apiUrl' || key === 'url'
        if (isAddress && typeof item === 'string') found.push({ at: [...at, key], text: item })
        else if (key !== 'authentication' && key !== 'body') walk(item, [...at, key])
      }
  }
  walk(file, [])
  return found.flatMap(({ at, text }) => (/^(?:https?:\/\/|\{\{)/.test(text) ? lintUrl(at, text, undefined) : []))
}

/** Whether the text is in `headers`, `query` or `body`, and not in a part of an address. */
function isPlaceFor(at: Use['at']): boolean {
  const [first] = at
  if (first === 'headers') return true
  const names = namesIn(at)
  const last = at.findLastIndex((key, index) => typeof key === 'string' && mayHold.has(key) && index > names)
  const wrong = at.findIndex((key, index) => typeof key === 'string' && mayNot.has(key) && index > names)
  return last > 0 && (wrong < 0 || wrong > last) && first !== 'healthCheck' && first !== 'postAuthentication'
}

/** Returns the position of the last key that names a module or an object, as any word may; 0 without one. */
function namesIn(at: Use['at']): number {
  const module = at[0] === 'modules' ? 2 : 0
  return at[module] === 'objects' ? module + 1 : Math.max(0, module - 1)
}

function isWebhooks(at: Use['at']): boolean {
  return at.at(-1) === 'webhooks' && (at.length === 1 || (at.length === 3 && at[0] === 'modules'))
}

function usesIn(file: ProviderFileOutline): Use[] {
  const found: Use[] = []
  const at: Use['at'] = []
  const enter = (key: string | number, item: unknown, isOfWebhooks: boolean) => {
    at.push(key)
    walk(item, isOfWebhooks || isWebhooks(at))
    at.pop()
  }
  const walk = (value: unknown, isOfWebhooks: boolean): void => {
    if (typeof value === 'string') {
      for (const name of variablesOf(value)) note(name, at, isOfWebhooks)
    } else if (Array.isArray(value)) for (const [index, item] of value.entries()) enter(index, item, isOfWebhooks)
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) {
        if (naming.has(key) && typeof item === 'string') note(item, [...at, key], isOfWebhooks)
        else {
          for (const name of namesOf(key, item)) note(name, [...at, key], isOfWebhooks)
          enter(key, item, isOfWebhooks)
        }
      }
  }
  const note = (name: string, place: Use['at'], isOfWebhooks: boolean) => {
    if (name === 'app') found.push({ at: [...place], name: '', isOfWebhooks })
    if (name.startsWith('app.')) found.push({ at: [...place], name: name.slice('app.'.length), isOfWebhooks })
  }
  walk(file, false)
  return found
}

/** Returns the variables that a key names: as a template, or for `$when` as the keys of its value. */
function namesOf(key: string, item: unknown): readonly string[] {
  return key === '$when' && isObject(item) ? Object.keys(item) : variablesOf(key)
}

function variablesOf(text: string): readonly string[] {
  if (!text.includes('{{')) return []
  try {
    return parseTemplate(text).variables
  } catch {
    return []
  }
}
