/**
 * Turns the facts about providers (see THIRD-PARTY-NOTICES.md for their origin) into `src/catalogue.generated.json`.
 *
 *     node scripts/import-facts.ts <path of facts.json>
 *
 * The result is committed, so that a build needs nothing from outside.
 */
import { readFile, writeFile } from 'node:fs/promises'
import type { SubscribeRequirements, Support } from '../src/catalogue/entry.ts'
import type { Authentication } from '../src/catalogue/format/authentication.ts'
import type { MetadataInput } from '../src/catalogue/format/metadata-input.ts'
import type { Facts } from '../src/catalogue/make-entry.ts'

interface RawProvider {
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
  custom?: Record<string, unknown>
}
interface RawModule {
  displayName: string
  baseURL: string
  support: RawSupport
  subscribeRequirements?: SubscribeRequirements
}
type RawSupport = Support
type RawInput = { name: string; displayName?: string; default?: string; docsURL?: string; modules?: string[] }

const [source] = process.argv.slice(2)
if (source === undefined) throw new Error('Usage: node scripts/import-facts.ts <path of facts.json>')
const { providers } = JSON.parse(await readFile(source, 'utf8')) as { providers: Record<string, RawProvider> }
const entries = Object.values(providers).map(toFacts)
entries.sort((a, b) => (a.name < b.name ? -1 : 1))
const lines = entries.map((entry) => `    ${JSON.stringify(entry.name)}: ${JSON.stringify(entry)}`)
const target = new URL('../src/catalogue.generated.json', import.meta.url)
await writeFile(target, `{\n  "providers": {\n${lines.join(',\n')}\n  }\n}\n`)
console.log(`${entries.length} providers written.`)

function toFacts(raw: RawProvider): Facts {
  const modules = Object.entries(raw.modules ?? {}).map(
    ([id, { displayName, baseURL, support, subscribeRequirements }]) =>
      [
        id,
        {
          displayName,
          baseUrl: ourTemplate(baseURL),
          support,
          ...(subscribeRequirements === undefined ? {} : { subscribeRequirements }),
        },
      ] as const,
  )
  const check = raw.authHealthCheck
  const appMetadata = raw.appMetadata && {
    authQueryParams: (raw.appMetadata.authQueryParams ?? []).map((input) => toInput(input, '')),
    providerParams: (raw.appMetadata.providerParams ?? []).map((input) => toInput(input, '')),
  }
  return {
    name: raw.name,
    displayName: raw.displayName,
    authType: raw.authType,
    authentication: [toScheme(raw)],
    baseUrl: ourTemplate(raw.baseURL),
    support: raw.support,
    modules: Object.fromEntries(modules),
    ...(raw.defaultModule === undefined ? {} : { defaultModule: raw.defaultModule }),
    inputs: (raw.metadata?.input ?? []).map((input) => toInput(input, raw.baseURL)),
    ...(check === undefined
      ? {}
      : { healthCheck: { method: check.method, url: ourTemplate(check.url), successStatusCodes: check.successCodes } }),
    ...defined<Partial<Facts>>({
      postAuthInfoNeeded: raw.postAuthInfoNeeded,
      subscribeRequirements: raw.subscribeRequirements,
      postAuthentication: raw.metadata?.postAuthentication,
      appMetadata,
      labels: raw.labels,
    }),
  }
}

/** `{{.workspace}}` is written `{{workspace}}` here. */
function ourTemplate(text: string): string {
  return text.replace(/\{\{\s*\.(\w+)\s*\}\}/g, '{{$1}}')
}

function toInput({ docsURL, ...input }: RawInput, baseURL: string): MetadataInput {
  const variable = `{{.${input.name}}}`
  const host = baseURL.startsWith(`https://${variable}`) && /^(\/|$)/.test(baseURL.slice(8 + variable.length))
  const kind = baseURL.startsWith(variable) ? 'url' : host ? 'host' : undefined
  return {
    ...input,
    ...(docsURL === undefined ? {} : { docsUrl: docsURL }),
    ...(kind === undefined ? {} : { kind }),
  }
}

function toScheme(raw: RawProvider): Authentication {
  const { apiKey, basic, oauth2, custom } = raw
  if (apiKey !== undefined) {
    const { attach, name, valuePrefix, docsURL } = apiKey
    return defined({ scheme: 'apiKey', attach, name, prefix: valuePrefix, docsUrl: docsURL })
  }
  if (basic !== undefined) {
    return defined({ scheme: 'basic', apiKeyAsBasic: basic.apiKeyAsBasic || undefined, docsUrl: basic.docsURL })
  }
  if (oauth2 !== undefined) {
    const { authURL, tokenURL, authURLParams, docsURL, accessTokenHeader, ...same } = oauth2
    const header = accessTokenHeader as { name: string; valuePrefix?: string } | undefined
    return defined({
      scheme: 'oauth2',
      ...same,
      authUrl: typeof authURL === 'string' ? ourTemplate(authURL) : undefined,
      tokenUrl: typeof tokenURL === 'string' ? ourTemplate(tokenURL) : undefined,
      authUrlParams: authURLParams,
      docsUrl: docsURL,
      tokenHeader: header === undefined ? undefined : defined({ name: header.name, prefix: header.valuePrefix ?? '' }),
    })
  }
  if (custom !== undefined) {
    const { headers, queryParams, inputs, appInputs, multiStep } = custom
    return defined({
      scheme: 'custom',
      headers: byName(headers),
      query: byName(queryParams),
      inputs,
      appInputs,
      multiStep: multiStep || undefined,
    })
  }
  return { scheme: 'none' }
}

function byName(list: unknown): Record<string, string> | undefined {
  if (list === undefined) return undefined
  const items = list as { name: string; valueTemplate: string }[]
  return Object.fromEntries(items.map(({ name, valueTemplate }) => [name, ourTemplate(valueTemplate)]))
}

function defined<T>(value: Record<string, unknown>): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T
}
