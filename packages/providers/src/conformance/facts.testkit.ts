import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { basicHeader, filled, type Placement, type SampleCredential } from './sample-credentials.ts'

/** What the imported facts say of a provider's authentication, as they write it. */
export interface AuthenticationFacts {
  authType: SampleCredential['scheme']
  apiKey?: { attach: 'header' | 'query'; name: string; valuePrefix?: string }
  basic?: { apiKeyAsBasic?: boolean; keyFormat?: string; keyField?: string }
  oauth2?: { accessTokenHeader?: { name: string; valuePrefix?: string } }
  custom?: { headers?: NamedTemplate[]; queryParams?: NamedTemplate[] }
}

interface NamedTemplate {
  name: string
  valueTemplate: string
}

const shared = process.env['MORTISE_SHARED'] ?? resolve(import.meta.dirname, '../../../../../shared')

/**
 * The facts from which the catalogue was made; `undefined` where they are not at hand, which `MORTISE_REQUIRE_SHARED=1`
 * forbids.
 */
export function readFacts(): Record<string, AuthenticationFacts> | undefined {
  const file = join(shared, 'providers/facts.json')
  if (existsSync(file)) {
    const { providers } = JSON.parse(readFileSync(file, 'utf8')) as { providers: Record<string, AuthenticationFacts> }
    // The fact lacks the space between `Basic` and the key.
    if (providers['aircall']?.apiKey) providers['aircall'].apiKey.valuePrefix = 'Basic '
    // The documentation of all products of Zoho has this prefix, and no other.
    if (providers['zoho']?.oauth2)
      providers['zoho'].oauth2.accessTokenHeader = { name: 'Authorization', valuePrefix: 'Zoho-oauthtoken ' }
    return providers
  }
  if (process.env['MORTISE_REQUIRE_SHARED'] === '1') throw new Error(`no facts in ${file}`)
  console.warn(`skipped: no facts in ${file} (MORTISE_SHARED)`)
  return undefined
}

/**
 * Where the facts say that a credential goes; `undefined` when they do not, or it is of another scheme than they know.
 */
export function placementByFacts(
  { authType, apiKey, basic, oauth2, custom }: AuthenticationFacts,
  { scheme, credential }: SampleCredential,
): Placement | undefined {
  if (scheme !== authType) return undefined
  switch (credential.scheme) {
    case 'none':
      return { headers: {}, query: {} }
    case 'oauth2': {
      const { name, valuePrefix = '' } = oauth2?.accessTokenHeader ?? { name: 'Authorization', valuePrefix: 'Bearer ' }
      return { headers: { [name]: `${valuePrefix}${credential.accessToken}` }, query: {} }
    }
    case 'basic':
      return { headers: { Authorization: basicHeader(credential.username, credential.password) }, query: {} }
    case 'apiKey': {
      if (apiKey === undefined) return { headers: { Authorization: keyAsBasic(basic, credential.apiKey) }, query: {} }
      const { attach, name, valuePrefix = '' } = apiKey
      return attach === 'query'
        ? { headers: {}, query: { [name]: credential.apiKey } }
        : { headers: { [name]: `${valuePrefix}${credential.apiKey}` }, query: {} }
    }
    case 'custom':
      // Where the facts name no place, they leave open what is made of the inputs.
      if (custom?.headers === undefined && custom?.queryParams === undefined) return undefined
      return {
        headers: byName(custom?.headers, credential.values),
        query: byName(custom?.queryParams, credential.values),
      }
  }
}

function keyAsBasic(
  { keyFormat = '%s', keyField = 'username' }: AuthenticationFacts['basic'] = {},
  key: string,
): string {
  const text = keyFormat.replace('%s', () => key)
  if (text.includes(':')) return `Basic ${Buffer.from(text).toString('base64')}`
  return keyField === 'password' ? basicHeader('', text) : basicHeader(text, '')
}

function byName(templates: NamedTemplate[] = [], values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(templates.map(({ name, valueTemplate }) => [name, filled(valueTemplate, values)]))
}
