import type { AppMetadata, FurtherVariable, PostAuthentication } from '../src/catalogue/format/further-values.ts'
import type { MetadataInput } from '../src/catalogue/format/metadata-input.ts'
import type { ProviderFileOutline } from '../src/catalogue/format/provider-file.ts'
import type { SubscribeRequirements, Undescribed } from '../src/catalogue/format/support.ts'
import { parseTemplate } from '../src/interpreter/template.ts'

/** One provider of the facts, in the words of their origin. Absent = not known. */
export interface RawProvider {
  name: string
  displayName: string
  authType: string
  baseURL: string
  support: RawSupport
  defaultModule?: string
  modules?: Record<string, RawModule>
  metadata?: { input?: RawInput[]; postAuthentication?: { name: string; modules?: string[] }[] }
  appMetadata?: { authQueryParams?: RawInput[]; providerParams?: RawInput[] }
  subscribeRequirements?: SubscribeRequirements
  postAuthInfoNeeded?: boolean
  labels?: Record<string, string>
  authHealthCheck?: { method: string; url: string; successCodes: number[] }
  oauth2?: Record<string, unknown>
  apiKey?: { attach: 'header' | 'query'; name: string; valuePrefix?: string; docsURL?: string }
  basic?: { apiKeyAsBasic?: boolean; docsURL?: string }
  custom?: RawCustom
  sourceFile?: string
}
/** One provider of the facts from other sources. */
export interface RawFurtherProvider extends RawProvider {
  confidence: 'agreed' | 'single'
  sources: { source: string }[]
  correctedByHand?: string[]
  note?: string
}
interface RawModule {
  displayName: string
  baseURL: string
  support: RawSupport
  subscribeRequirements?: SubscribeRequirements
}
type RawFlag = 'read' | 'write' | 'delete' | 'proxy' | 'subscribe' | 'search'
export interface RawSupport extends Partial<Record<RawFlag, boolean>> {
  bulkWrite?: Record<string, boolean>
  batchWrite?: Record<string, { maxRecords?: number }>
}
interface RawCustom {
  headers?: RawPair[]
  queryParams?: RawPair[]
  inputs?: RawInput[]
  appInputs?: RawInput[]
  multiStep?: boolean
}
type RawInput = {
  name: string
  displayName?: string
  default?: string
  docsURL?: string
  modules?: string[]
  fieldType?: string
}
type RawPair = { name: string; valueTemplate: string }

/** The keys of a provider file that the facts fill. */
export type FactsFile = Pick<
  ProviderFileOutline,
  | 'name'
  | 'displayName'
  | 'confidence'
  | 'baseUrl'
  | 'authentication'
  | 'inputs'
  | 'healthCheck'
  | 'placeholders'
  | 'undescribed'
  | 'subscribeRequirements'
  | 'postAuthInfoNeeded'
  | 'postAuthentication'
  | 'variables'
  | 'appMetadata'
  | 'labels'
  | 'defaultModule'
  | 'modules'
>

/** What the facts say of a provider, in the format of provider files. */
export function fileOfFacts(raw: RawProvider): FactsFile {
  const urls = [raw.baseURL, ...Object.values(raw.modules ?? {}).map(({ baseURL }) => baseURL)].map(ourTemplate)
  const used = variablesOf([raw.oauth2, raw.authHealthCheck, ...urls])
  const inputs = raw.metadata?.input?.map((input) => toInput(input, urls, used))
  const postAuthentication = raw.metadata?.postAuthentication?.map(
    ({ name, modules }): PostAuthentication => defined({ name, kind: kindOf(name, urls), modules }),
  )
  const known = new Set(['workspace', ...[...(inputs ?? []), ...(postAuthentication ?? [])].map(({ name }) => name)])
  const variables = [...used]
    .filter((name) => !known.has(name))
    .map((name): FurtherVariable => defined({ name, kind: kindOf(name, urls) }))
  const check = raw.authHealthCheck
  return defined({
    name: raw.name,
    displayName: raw.displayName,
    baseUrl: ourTemplate(raw.baseURL),
    placeholders: isUnconfirmed(raw.support) ? ['baseUrl'] : undefined,
    inputs,
    variables: variables.length > 0 ? variables : undefined,
    authentication: [toScheme(raw)],
    postAuthInfoNeeded: raw.postAuthInfoNeeded,
    postAuthentication,
    appMetadata: raw.appMetadata && toAppMetadata(raw.appMetadata),
    healthCheck: check && {
      method: check.method,
      url: ourTemplate(check.url),
      successStatusCodes: check.successCodes,
    },
    labels: raw.labels,
    undescribed: undescribedOf(raw.support),
    subscribeRequirements: raw.subscribeRequirements,
    defaultModule: raw.defaultModule,
    modules:
      raw.modules &&
      Object.fromEntries(
        Object.entries(raw.modules).map(([id, { displayName, baseURL, support, subscribeRequirements }]) => [
          id,
          defined({
            displayName,
            baseUrl: ourTemplate(baseURL),
            undescribed: undescribedOf(support),
            subscribeRequirements,
          }),
        ]),
      ),
  })
}

/** Providers of the facts that cannot be connected by what is known, with the reason. */
export const unusable: Record<string, string> = {
  lawvu: 'its authorization endpoint has a fragment, which RFC 6749 (section 3.1) forbids',
}

/** What a provider answers besides 200 where it has nothing to say. */
const noContent = 204

/** The same for the facts from other sources, which know no more than how to connect and where the API is. */
export function fileOfFurtherFacts(given: RawFurtherProvider): FactsFile {
  const raw = withoutEnding(given)
  const { tokenEndpointAuth, ...oauth2 } = raw.oauth2 ?? {}
  const workspaceRequired = JSON.stringify([raw.baseURL, oauth2]).includes('{{.workspace}}')
  const clientAuthentication = { client_secret_post: 'body', client_secret_basic: 'basic' }[String(tokenEndpointAuth)]
  const file = fileOfFacts({
    ...raw,
    ...(raw.oauth2 && {
      oauth2: { ...oauth2, workspaceRequired, ...(clientAuthentication && { clientAuthentication }) },
    }),
    support: { proxy: true },
  })
  const { name, displayName, ...rest } = file
  const health = file.healthCheck
  return defined({
    name,
    displayName,
    confidence: raw.confidence,
    ...rest,
    inputs: file.inputs?.length === 0 ? undefined : file.inputs?.map((input) => ({ ...input, ...hostsOf(raw, input) })),
    // A health check has no query.
    healthCheck:
      health?.url?.includes('?') === false
        ? { ...health, successStatusCodes: [...new Set([...(health.successStatusCodes ?? []), noContent])] }
        : undefined,
  })
}

/** The hosts that an input may lead a client secret to: its default, and what the provider app names. */
function hostsOf(raw: RawFurtherProvider, { name, default: known }: MetadataInput): { hosts?: string[] } {
  const tokenUrl = String(raw.oauth2?.['tokenURL'] ?? '')
  if (!tokenUrl.replace(/^https:\/\//, '').startsWith(`{{.${name}}}`)) return {}
  return { hosts: known === undefined ? [] : [known.replace(/^https:\/\//, '').replace(/\/.*$/, '')] }
}

/**
 * The facts without an input that is the ending of the token endpoint's host, such as `com` or `eu`: nobody owns a host
 * with any ending, so it would let a customer choose who gets the client secret. The file has the default.
 */
export function withoutEnding(raw: RawFurtherProvider): RawFurtherProvider {
  const host = /^https:\/\/([^/]*)/.exec(String(raw.oauth2?.['tokenURL']))?.[1] ?? ''
  const name = /\.\{\{\.(\w+)\}\}$/.exec(host)?.[1]
  const input = raw.metadata?.input?.find((one) => one.name === name)
  if (input?.default === undefined) return raw
  const fixed = JSON.parse(JSON.stringify(raw).replaceAll(`{{.${input.name}}}`, input.default)) as RawFurtherProvider
  const others = raw.metadata?.input?.filter((one) => one !== input) ?? []
  const note = `This is the data center "${input.default}". Another one needs a file of its own.`
  return { ...fixed, note, metadata: { ...raw.metadata, input: others } }
}

/** `{{.workspace}}` is written `{{workspace}}` here. */
function ourTemplate(text: string): string {
  return text.replace(/\{\{\s*\.(\w+)\s*\}\}/g, '{{$1}}')
}

/** Names of all variables in all texts of a value. */
function variablesOf(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') for (const name of parseTemplate(ourTemplate(value)).variables) found.add(name)
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) variablesOf(item, found)
  return found
}

/** A value that is a whole host, or a whole URL, in one of the base URLs. */
function kindOf(name: string, urls: readonly string[]): 'host' | 'url' | undefined {
  const variable = `{{${name}}}`
  if (urls.some((url) => url.startsWith(variable))) return 'url'
  return urls.some((url) => url === `https://${variable}` || url.startsWith(`https://${variable}/`))
    ? 'host'
    : undefined
}

function toInput(input: RawInput, urls: readonly string[] = [], used?: ReadonlySet<string>): MetadataInput {
  const { name, displayName, docsURL, modules } = input
  return defined({
    name,
    displayName,
    docsUrl: docsURL,
    default: input.default,
    kind: kindOf(name, urls),
    use: used === undefined || used.has(name) ? undefined : 'kept',
    modules,
  })
}

function toAppMetadata({ authQueryParams, providerParams }: NonNullable<RawProvider['appMetadata']>): AppMetadata {
  return defined({
    authQueryParams: authQueryParams?.map((input) => toInput(input)),
    providerParams: providerParams?.map(({ name, displayName, docsURL: docsUrl, modules }) =>
      defined({ name, displayName, docsUrl, modules }),
    ),
  })
}

/** A base URL that nothing uses: the facts say neither what is there, nor that requests may be sent there. */
function isUnconfirmed({ read, write, subscribe, proxy }: RawSupport): boolean {
  return ![read, write, subscribe, proxy].includes(true)
}

/** A file of facts describes no objects and no webhooks: what the provider has is all undescribed. */
function undescribedOf(support: RawSupport): Undescribed | undefined {
  const actions = (['read', 'write', 'subscribe'] as const).filter((action) => support[action] === true)
  return actions.length > 0 ? actions : undefined
}

function toScheme(raw: RawProvider): object {
  const { apiKey, basic, oauth2, custom } = raw
  if (apiKey !== undefined) {
    const { attach, name, valuePrefix, docsURL } = apiKey
    return defined({ scheme: 'apiKey', attach, name, prefix: valuePrefix, docsUrl: docsURL })
  }
  if (basic !== undefined) {
    return defined({ scheme: 'basic', apiKeyAsBasic: basic.apiKeyAsBasic, docsUrl: basic.docsURL })
  }
  if (oauth2 !== undefined) return toOAuth2(oauth2)
  if (custom !== undefined) {
    const { headers, queryParams, inputs, appInputs, multiStep } = custom
    return defined({
      scheme: 'custom',
      headers: byName(headers),
      query: byName(queryParams),
      inputs: inputs?.map(toCustomInput),
      appInputs: appInputs?.map(toCustomInput),
      multiStep,
    })
  }
  return { scheme: 'none' }
}

function toOAuth2(oauth2: Record<string, unknown>): object {
  const { grantType, authURL, tokenURL, authURLParams, scopeMappings, docsURL, accessTokenHeader, ...same } = oauth2
  const header = accessTokenHeader as { name: string; valuePrefix?: string } | undefined
  const scopes = scopeMappings as Record<string, string> | undefined
  return defined({
    scheme: 'oauth2',
    grantType,
    authUrl: typeof authURL === 'string' ? ourTemplate(authURL) : undefined,
    tokenUrl: typeof tokenURL === 'string' ? ourTemplate(tokenURL) : undefined,
    authUrlParams: authURLParams,
    ...same,
    scopeMappings:
      scopes && Object.fromEntries(Object.entries(scopes).map(([scope, text]) => [scope, ourTemplate(text)])),
    tokenHeader: header && { name: header.name, prefix: header.valuePrefix ?? '' },
    docsUrl: docsURL,
  })
}

function toCustomInput({ docsURL, ...input }: RawInput): object {
  return defined({ ...input, docsUrl: docsURL })
}

function byName(list: RawPair[] | undefined): Record<string, string> | undefined {
  return list && Object.fromEntries(list.map(({ name, valueTemplate }) => [name, ourTemplate(valueTemplate)]))
}

function defined<T>(value: Record<string, unknown>): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T
}
