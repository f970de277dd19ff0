import {
  customScheme,
  isCustomComplete,
  isOptionalInput,
  type ProviderEntry,
  schemeName,
  withScheme,
} from '@mortise/providers'
import { codeGrantOf } from '../code-grant.ts'

/** A field that a person fills in. Its name is the path of the value in the body of `generateConnection`. */
export interface Field {
  name: string
  label: string
  prompt?: string
  docsUrl?: string
  /** `lines`: a key or document of several lines. */
  type: 'text' | 'secret' | 'lines' | 'select'
  options?: readonly { value: string; label: string }[]
  initial?: string
  optional?: boolean
  example?: string
  /** Pattern that the whole value matches (RE2). */
  pattern?: string
  charactersMax: number
  /** Pasted values often have extra spaces. A password may begin or end with one, so it is not trimmed. */
  trimmed: boolean
}

/** An authentication method that the page offers. */
export interface AuthenticationMethod {
  key: MethodKey
  /** Name of the provider's scheme. */
  scheme: string
  /** Text of the link to it: “Use … instead”. */
  name: string
  fields: Field[]
}

export type MethodKey =
  | 'none'
  | 'apiKey'
  | 'basicAuth'
  | 'oauth2'
  | 'oauth2ClientCredentials'
  | 'oauth2PasswordCredentials'
  | 'customAuth'
  /** Multi-step authentication. A step may lead through a page of the provider. */
  | 'conversation'

/** Returns the provider's authentication methods that this release supports, the preferred one first. */
export function methodsOf(entry: ProviderEntry): AuthenticationMethod[] {
  const methods = entry.authentication.flatMap((scheme): AuthenticationMethod[] => {
    const name = schemeName(scheme)
    const method = methodOf(withScheme(entry, name) ?? entry, scheme)
    return method === undefined ? [] : [{ ...method, scheme: name }]
  })
  // Two methods of one kind would have the same text.
  const isTwin = ({ name }: AuthenticationMethod) => methods.filter((other) => other.name === name).length > 1
  return methods.map((method) => (isTwin(method) ? { ...method, name: `${method.name} (${method.scheme})` } : method))
}

/** Returns the fields that the provider needs in addition to the credential, for the default module. */
export function metadataFields({ inputs, defaultModule }: Pick<ProviderEntry, 'inputs' | 'defaultModule'>): Field[] {
  return inputs
    .filter(
      ({ modules }) => modules === undefined || modules.some((id) => id.toLowerCase() === defaultModule?.toLowerCase()),
    )
    .map((input) => ({
      ...described(`providerMetadata.${input.name}`, input, 'text'),
      ...(input.default !== undefined && { initial: input.default }),
      ...(isOptionalInput(input) && { optional: true }),
      charactersMax: input.name === 'workspace' ? 200 : 2_000,
    }))
}

type Kind = Omit<AuthenticationMethod, 'scheme'>

/** @param entry the provider with only this scheme */
function methodOf(entry: ProviderEntry, scheme: ProviderEntry['authentication'][number]): Kind | undefined {
  switch (scheme.scheme) {
    case 'none':
      return { key: 'none', name: 'no credential', fields: [] }
    case 'apiKey':
      return {
        key: 'apiKey',
        name: scheme.displayName ?? 'an API key',
        fields: [described('apiKey', { displayName: 'API key', ...scheme, name: 'apiKey' }, 'secret')],
      }
    case 'basic': {
      // If one of the two is a key, the other one is empty.
      const optional = scheme.apiKeyAsBasic === true
      return {
        key: 'basicAuth',
        name: 'user name and password',
        fields: [
          { ...person('basicAuth.username', scheme.docsUrl), optional },
          { ...password('basicAuth.password'), optional },
        ],
      }
    }
    case 'oauth2':
      return oauthMethod(entry, scheme)
    case 'custom':
      return customMethod(entry)
  }
}

function oauthMethod(
  entry: ProviderEntry,
  { grantType, scopesRequired, docsUrl }: Extract<ProviderEntry['authentication'][number], { scheme: 'oauth2' }>,
): Kind | undefined {
  const client = (block: string): Field[] => [
    described(`${block}.clientId`, { name: 'clientId', displayName: 'Client id', ...(docsUrl && { docsUrl }) }, 'text'),
    {
      ...described(`${block}.clientSecret`, { name: 'clientSecret', displayName: 'Client secret' }, 'secret'),
      optional: true,
    },
    ...(scopesRequired ? [scopes(`${block}.scopes`)] : []),
  ]
  if (grantType === 'clientCredentials')
    return { key: 'oauth2ClientCredentials', name: 'client credentials', fields: client('oauth2ClientCredentials') }
  if (grantType === 'password')
    return {
      key: 'oauth2PasswordCredentials',
      name: 'user name and password',
      fields: [
        person('oauth2PasswordCredentials.username', undefined),
        password('oauth2PasswordCredentials.password'),
        ...client('oauth2PasswordCredentials'),
      ],
    }
  if (codeGrantOf(entry) === undefined) return undefined
  return { key: 'oauth2', name: `${entry.displayName} in the browser`, fields: [] }
}

function customMethod(entry: ProviderEntry): Kind | undefined {
  const scheme = customScheme(entry)
  if (!scheme || !isCustomComplete(scheme)) return undefined
  const signingKey = scheme.token?.assertion?.key ?? ''
  return {
    key: scheme.multiStep === true ? 'conversation' : 'customAuth',
    name: 'its own credentials',
    fields: (scheme.inputs ?? []).map((input): Field => {
      const name = `customAuth.${input.name}`
      if (input.fieldType === 'select' && input.options)
        return { ...described(name, input, 'select'), options: input.options }
      // Lists, such as scopes, are not secret.
      const isPlain = input.fieldType === 'text' || input.kind === 'list'
      // A single-line field would lose the line breaks.
      const isLong = input.kind === 'json' || signingKey.includes(`{{${input.name}}}`)
      return described(name, input, isLong ? 'lines' : isPlain ? 'text' : 'secret')
    }),
  }
}

interface Input {
  name: string
  displayName?: string
  prompt?: string
  docsUrl?: string
  example?: string
  pattern?: string
}

function described(name: string, input: Input, type: Field['type']): Field {
  const { name: label, displayName, prompt, docsUrl, example, pattern } = input
  return {
    name,
    label: displayName ?? label,
    ...(prompt !== undefined && { prompt }),
    ...(docsUrl !== undefined && { docsUrl }),
    ...(example !== undefined && { example }),
    ...(pattern !== undefined && { pattern }),
    type,
    charactersMax: 20_000,
    trimmed: true,
  }
}

const person = (name: string, docsUrl: string | undefined): Field => ({
  ...described(name, { name, displayName: 'User name', ...(docsUrl && { docsUrl }) }, 'text'),
  charactersMax: 5_000,
})
const password = (name: string): Field => ({
  ...described(name, { name, displayName: 'Password' }, 'secret'),
  trimmed: false,
})
const scopes = (name: string): Field =>
  described(name, { name, displayName: 'Scopes', prompt: 'What the access is for; spaces between them.' }, 'text')
