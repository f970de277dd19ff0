import { parseTemplate } from '../interpreter/template.ts'
import { lintAppValues } from './app-values.ts'
import { didYouMean } from './did-you-mean.ts'
import { isCompared } from './evidence.ts'
import type { Flaw } from './flaw.ts'
import type { Authentication } from './format/authentication.ts'
import type { ErrorTable, ProviderFileOutline } from './format/provider-file.ts'
import { type DeclaredValue, httpToken, lintBase, lintPlainHttp } from './lint-base.ts'
import { lintCustom } from './lint-custom.ts'
import { lintDiscovery } from './lint-discovery.ts'
import { lintHosts } from './lint-hosts.ts'
import { lintFileScopes } from './lint-scopes.ts'
import { lintStream } from './lint-stream.ts'
import { lintValues } from './lint-values.ts'
import { lintWebhooks } from './lint-webhooks.ts'
import { schemeName } from './scheme-names.ts'

function declared({ inputs = [], postAuthentication = [], variables = [] }: ProviderFileOutline): DeclaredValue[] {
  return [...inputs, ...postAuthentication, ...variables]
}

/** Names of everything that templates may name, `workspace` aside, which every connection may have. */
export function declaredVariables(file: ProviderFileOutline): string[] {
  const ofApp = (file.appMetadata?.providerParams ?? []).length > 0 ? ['app'] : []
  return [...declared(file).map(({ name }) => name), ...(file.authentication ?? []).flatMap(tokenVariables), ...ofApp]
}

/** What the answer of a token endpoint, or the redirect before it, leaves in `providerMetadata`. */
function tokenVariables(scheme: Authentication): string[] {
  if (scheme.scheme !== 'oauth2') return []
  const { tokenMetadataFields, redirectFields } = scheme
  return [...(tokenMetadataFields?.others ?? []), ...(redirectFields?.others ?? [])].map(({ name }) => name)
}

/** What the schema cannot say of the file as a whole. */
export function lintFile(file: ProviderFileOutline): Flaw[] {
  const flaws: Flaw[] = []
  const add = (path: Flaw['path'], message: string) => flaws.push({ path, message })
  if (file.connected !== undefined && file.confidence !== undefined)
    add(['confidence'], 'is of a file that nobody has tested, but "connected" says that it was; remove it')
  else if (file.documented && isCompared(file.documented) && file.confidence !== undefined)
    add(['confidence'], 'is of a file that was not compared, but "documented.parts" says that it was; remove it')
  const variables = new Set(['workspace', ...declaredVariables(file)])
  const checkVariables: CheckVariables = (path, text) => {
    for (const name of text === undefined ? [] : parseTemplate(text).variables) {
      // `lintAppValues` reports those that are not declared.
      if (!variables.has(name) && !name.startsWith('app.'))
        add(path, `uses the variable "${name}", which is not declared${didYouMean(name, [...variables])}`)
    }
  }
  const checkBase = (path: Flaw['path'], text: string | undefined) => {
    if (text === undefined || file.placeholders?.includes(path.join('.'))) return
    checkVariables(path, text)
    flaws.push(...lintBase(path, text, declared(file)))
  }

  if (file.baseUrl === undefined) add([], 'needs the key "baseUrl"')
  checkBase(['baseUrl'], file.baseUrl)
  if (file.authentication === undefined) add([], 'needs the key "authentication"')
  for (const [at, scheme] of (file.authentication ?? []).entries()) {
    flaws.push(...lintScheme(['authentication', at], scheme, declared(file), checkVariables))
    if (scheme.scheme === 'oauth2') flaws.push(...lintDiscovery(['authentication', at], scheme, file))
  }
  flaws.push(
    ...lintSchemeNames(file),
    ...lintNames(file),
    ...lintModules(file),
    ...lintHosts(file),
    ...lintValues(file),
    ...lintFileScopes(file),
    ...lintAppValues(file),
  )
  if (file.healthCheck !== undefined) {
    const { path, url } = file.healthCheck
    if ((path === undefined) === (url === undefined)) add(['healthCheck'], 'needs one of "path" and "url"')
    checkVariables(['healthCheck', 'path'], path)
    if (path !== undefined && !path.startsWith('/')) add(['healthCheck', 'path'], 'must begin with "/"')
    checkBase(['healthCheck', 'url'], url)
  }
  if (file.mcp?.path !== undefined) {
    checkVariables(['mcp', 'path'], file.mcp.path)
    if (!file.mcp.path.startsWith('/')) add(['mcp', 'path'], 'must begin with "/"')
  }
  for (const [at, { request }] of (file.postAuthentication ?? []).entries()) {
    checkBase(['postAuthentication', at, 'request', 'url'], request?.url)
    for (const [path, value] of Object.entries(request?.when ?? {}))
      if (typeof value === 'string') checkVariables(['postAuthentication', at, 'request', 'when', path], value)
  }
  for (const [name, text] of Object.entries(file.headers ?? {})) {
    if (!httpToken.test(name)) add(['headers', name], 'is not a valid header name')
    checkVariables(['headers', name], text)
  }
  for (const [at, { status, when }] of (file.errors?.rules ?? []).entries()) {
    if (status === undefined && when === undefined) add(['errors', 'rules', at], 'needs "status", "when", or both')
  }
  flaws.push(...lintRateLimits(file))
  if (file.webhooks !== undefined) flaws.push(...lintWebhooks(file.webhooks, [...variables]))
  flaws.push(...lintStream(file, file, [...variables]))
  for (const [id, module] of Object.entries(file.modules ?? {})) {
    const own = module.webhooks === undefined ? [] : lintWebhooks(module.webhooks, [...variables])
    const ofStream = lintStream(module, file, [...variables])
    flaws.push(...[...own, ...ofStream].map((flaw) => ({ ...flaw, path: ['modules', id, ...flaw.path] })))
    checkBase(['modules', id, 'baseUrl'], module.baseUrl)
    checkBase(['modules', id, 'apiUrl'], module.apiUrl)
  }
  return flaws
}

/** A way to authenticate is chosen by its name. */
function lintSchemeNames({ authentication = [] }: ProviderFileOutline): Flaw[] {
  const seen = new Set<string>()
  return authentication.flatMap((scheme, at) => {
    const name = schemeName(scheme)
    if (seen.has(name)) {
      const message = `has the name "${name}" of an earlier scheme; set a unique \`schemeName\``
      return { path: ['authentication', at, ...(scheme.schemeName === undefined ? [] : ['schemeName'])], message }
    }
    seen.add(name)
    return []
  })
}

/** Of two limits on the same requests in the same time only the lower one would ever be met. */
function lintRateLimits({ rateLimit = [], errors }: ProviderFileOutline): Flaw[] {
  const seen = new Set<string>()
  const flaws = [rateLimit].flat().flatMap((limit, at): Flaw[] => {
    const key = `${limit.per} ${limit.for} ${limit.perSeconds} ${limit.path}`
    if (seen.has(key))
      return [{ path: ['rateLimit', at], message: 'has the same requests and period as an earlier limit' }]
    seen.add(key)
    return []
  })
  const { limitHeaders } = errors ?? {}
  if (limitHeaders && (limitHeaders.reset === undefined) === (limitHeaders.seconds === undefined))
    flaws.push({ path: ['errors', 'limitHeaders'], message: 'needs one of "reset" and "seconds"' })
  return [...flaws, ...lintCostLimit(errors)]
}

/** A limit that is never restored would stop nothing, and a refused request must not be a success. */
function lintCostLimit({ costLimit, rules = [] }: ErrorTable = {}): Flaw[] {
  if (costLimit === undefined) return []
  const path = ['errors', 'costLimit']
  const { restoredPerSecond, reset, maximum, format } = costLimit
  const flaws: Flaw[] = []
  if ((restoredPerSecond === undefined) === (reset === undefined))
    flaws.push({ path, message: 'needs one of "restoredPerSecond" and "reset"' })
  if (maximum !== undefined && restoredPerSecond === undefined)
    flaws.push({ path: [...path, 'maximum'], message: 'needs "restoredPerSecond"' })
  if (format !== undefined && reset === undefined) flaws.push({ path: [...path, 'format'], message: 'needs "reset"' })
  if (!rules.some(({ is, status = 200 }) => is === 'rate_limited' && status === 200))
    flaws.push({ path, message: 'needs a rule under `errors.rules` that makes a refused request `rate_limited`' })
  return flaws
}

type CheckVariables = (path: Flaw['path'], text: string | undefined) => void

/** Names that are variables: each a word, and declared once. */
function lintNames(file: ProviderFileOutline): Flaw[] {
  const seen = new Set<string>()
  return (['inputs', 'postAuthentication', 'variables'] as const).flatMap((part) =>
    (file[part] ?? []).flatMap(({ name }, at) => {
      const path = [part, at, 'name']
      const flaws: Flaw[] = []
      if (!/^[A-Za-z_]\w*$/.test(name))
        flaws.push({ path, message: 'may contain only letters, digits and underscores' })
      if (seen.has(name)) flaws.push({ path, message: `declares "${name}" twice` })
      seen.add(name)
      return flaws
    }),
  )
}

/** Checks apply to existing modules only. */
function lintModules(file: ProviderFileOutline): Flaw[] {
  const flaws: Flaw[] = []
  const { modules, defaultModule } = file
  const ids = new Set(Object.keys(modules ?? {}))
  if (modules !== undefined && (file.objects !== undefined || file.otherObjects !== undefined)) {
    flaws.push({ path: ['objects'], message: 'must be under a module, because the provider has modules' })
  }
  if (defaultModule !== undefined && !ids.has(defaultModule) && !(ids.size === 0 && defaultModule === 'root')) {
    flaws.push({
      path: ['defaultModule'],
      message: `is not a module of this file${didYouMean(defaultModule, [...ids])}`,
    })
  }
  for (const part of ['inputs', 'postAuthentication'] as const) {
    file[part]?.forEach((value, at) => {
      for (const id of value.modules ?? []) {
        if (!ids.has(id))
          flaws.push({
            path: [part, at, 'modules'],
            message: `is not a module of this file ("${id}")${didYouMean(id, [...ids])}`,
          })
      }
    })
  }
  return flaws
}

function lintScheme(
  path: Flaw['path'],
  scheme: Authentication,
  values: readonly DeclaredValue[],
  checkVariables: CheckVariables,
): Flaw[] {
  switch (scheme.scheme) {
    case 'apiKey':
      if (scheme.attach === 'basic') return []
      if (scheme.name === undefined) return [{ path, message: 'needs the key "name"' }]
      return scheme.attach === 'header' && !httpToken.test(scheme.name)
        ? [{ path: [...path, 'name'], message: 'is not a valid header name' }]
        : []
    case 'oauth2': {
      checkVariables([...path, 'authUrl'], scheme.authUrl)
      checkVariables([...path, 'tokenUrl'], scheme.tokenUrl)
      checkVariables([...path, 'refreshUrl'], scheme.refreshUrl)
      for (const [scope, text] of Object.entries(scheme.scopeMappings ?? {})) {
        checkVariables([...path, 'scopeMappings', scope], text)
      }
      const flaws = (['authUrl', 'tokenUrl', 'refreshUrl'] as const).flatMap((key) =>
        scheme[key] === undefined ? [] : lintEndpoint([...path, key], scheme[key]),
      )
      const byCode = scheme.grantType === 'authorizationCode' || scheme.grantType === 'authorizationCodePKCE'
      if (scheme.refreshUrl !== undefined && scheme.grantType === 'clientCredentials')
        flaws.push({ path: [...path, 'refreshUrl'], message: 'has no effect: this grant has no refresh tokens' })
      const needed = (['grantType', 'tokenUrl', 'authUrl'] as const).filter(
        (key) => key === 'grantType' || (scheme.discover === undefined && (key !== 'authUrl' || byCode)),
      )
      const missing = needed.filter((key) => scheme[key] === undefined)
      return [...flaws, ...missing.map((key) => ({ path, message: `needs the key "${key}"` }))]
    }
    case 'custom':
      return lintCustom(path, scheme, values)
    default:
      return []
  }
}

/** An endpoint of an authorization server. */
function lintEndpoint(path: Flaw['path'], text: string): Flaw[] {
  if (/^(?:https?:\/\/|\{\{)/.test(text)) return lintPlainHttp(path, text)
  return [{ path, message: 'must be a complete URL, such as https://accounts.example.com/oauth/authorize' }]
}
