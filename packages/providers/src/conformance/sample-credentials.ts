import type { ProviderEntry } from '../catalogue/entry.ts'
import type { Authentication } from '../catalogue/format/authentication.ts'
import type { Credential } from '../connector.ts'
import { parseTemplate } from '../interpreter/template.ts'

/** Where a credential is in a request: these headers and query parameters, exactly, and nowhere else. */
export interface Placement {
  headers: Record<string, string>
  query: Record<string, string>
  /** Fields of form bodies. */
  form?: Record<string, string>
}

/** A credential that a connection to an entry may have. */
export interface SampleCredential {
  scheme: Authentication['scheme']
  credential: Credential
  /** What nobody may see. */
  secrets: string[]
  /** As the entry declares it; said here once more, so that the suite does not ask the code that it tests. */
  placement: Placement
}

/** A secret with the characters that look different in each spelling. */
export function secretOf(name: string): string {
  return `${name}/7Qz+Wm=rT?x&y~%2B4vLk`
}

/** One credential for each kind of authentication that an entry declares; of two of a kind the first is used. */
export function sampleCredentials({ authentication }: ProviderEntry): SampleCredential[] {
  const kinds = new Map<string, Authentication>()
  for (const scheme of authentication) if (!kinds.has(scheme.scheme)) kinds.set(scheme.scheme, scheme)
  return [...kinds.values()].flatMap((scheme) =>
    samplesOf(scheme).map((sample) => ({ scheme: scheme.scheme, ...sample })),
  )
}

type Sample = Omit<SampleCredential, 'scheme'>

function samplesOf(scheme: Authentication): Sample[] {
  switch (scheme.scheme) {
    case 'none':
      return [{ credential: { scheme: 'none' }, secrets: [], placement: { headers: {}, query: {} } }]
    case 'apiKey':
      return [keySample(scheme)]
    case 'basic':
      return [basicSample(), ...(scheme.apiKeyAsBasic ? [keyAsBasicSample()] : [])]
    case 'oauth2': {
      const accessToken = secretOf('access-token')
      const { name, prefix = 'Bearer ' } = scheme.tokenHeader ?? { name: 'Authorization' }
      return [
        {
          credential: { scheme: 'oauth2', accessToken },
          secrets: [accessToken],
          placement: { headers: { [name]: `${prefix}${accessToken}` }, query: {} },
        },
      ]
    }
    case 'custom':
      return [customSample(scheme)]
  }
}

function keySample({ attach, name, prefix = '', other = '' }: Extract<Authentication, { scheme: 'apiKey' }>): Sample {
  const apiKey = secretOf('api-key')
  const sample = { credential: { scheme: 'apiKey' as const, apiKey }, secrets: [apiKey] }
  if (attach === 'query') return { ...sample, placement: { headers: {}, query: { [name ?? 'api_key']: apiKey } } }
  const value =
    attach === 'header'
      ? `${prefix}${apiKey}`
      : basicHeader(...((name === 'password' ? [other, apiKey] : [apiKey, other]) as [string, string]))
  const header = attach === 'header' ? (name ?? 'Authorization') : 'Authorization'
  return { ...sample, placement: { headers: { [header]: value }, query: {} } }
}

function basicSample(): Sample {
  const [username, password] = ['some.body@example.com', secretOf('password')]
  return {
    credential: { scheme: 'basic', username, password },
    secrets: [password],
    placement: { headers: { Authorization: basicHeader(username, password) }, query: {} },
  }
}

function keyAsBasicSample(): Sample {
  const apiKey = secretOf('api-key')
  return {
    credential: { scheme: 'apiKey', apiKey },
    secrets: [apiKey],
    placement: { headers: { Authorization: basicHeader(apiKey, '') }, query: {} },
  }
}

/**
 * Every input has a value, those that no template names too: they must not travel at all. So has what steps and token
 * yield.
 */
function customSample(scheme: Extract<Authentication, { scheme: 'custom' }>): Sample {
  const { headers = {}, query = {}, form, inputs = [] } = scheme
  const templates = [headers, query, form ?? {}].flatMap((map) => Object.values(map))
  const named = templates.flatMap((text) => parseTemplate(text).variables)
  const texts = Object.fromEntries([...named, ...inputs.map(({ name }) => name)].map((name) => [name, secretOf(name)]))
  const parts = (input: string) =>
    named.flatMap((name) => (name.startsWith(`${input}.`) ? name.slice(input.length + 1) : []))
  const values = Object.fromEntries(
    [...new Set([...inputs.map(({ name }) => name), ...named.filter((name) => !name.includes('.'))])].map((name) => {
      const kind = inputs.find((input) => input.name === name)?.kind
      const json = () =>
        Object.fromEntries(['private_key', ...parts(name)].map((part) => [part, secretOf(`${name}.${part}`)]))
      return [name, kind === 'json' ? json() : secretOf(name)]
    }),
  )
  const fill = (map: Record<string, string>) =>
    Object.fromEntries(Object.entries(map).map(([name, text]) => [name, filled(text, texts)]))
  return {
    credential: { scheme: 'custom', values },
    secrets: Object.values(values).flatMap((value) => (typeof value === 'string' ? value : Object.values(value))),
    placement: { headers: fill(headers), query: fill(query), ...(form && { form: fill(form) }) },
  }
}

/** A template with its values in their places. */
export function filled(text: string, values: Record<string, unknown>): string {
  return text.replaceAll(/\{\{\s*\.?([\w.]+)\s*\}\}/g, (_, name: string) => String(values[name]))
}

/** RFC 7617. */
export function basicHeader(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
