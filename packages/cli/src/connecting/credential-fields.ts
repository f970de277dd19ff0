import type { Output } from '@mortise/client'

type Provider = Output<'getProvider'>

/** Something that a connection is made of, and that has to be given. */
export interface Field {
  /** As `--set` and the JSON of `--secrets-stdin` name it. */
  name: string
  label: string
  prompt?: string
  secret: boolean
  /** Used when nothing is given. */
  initial?: string
  /** May be left empty. */
  optional?: boolean
}

/** An authentication method of a provider, with its inputs. */
export type Scheme = Provider['schemes'][number]

/** The ways that a provider has, the preferred one first. */
export function schemesOf({ schemes }: Provider): Scheme[] {
  return schemes.length === 0 ? [{ name: 'none', type: 'none' }] : schemes
}

/** The scheme of this name, or the first of this kind; undefined where there is neither. */
export function findScheme(schemes: readonly Scheme[], wanted: string): Scheme | undefined {
  return schemes.find(({ name }) => name === wanted) ?? schemes.find(({ type }) => type === wanted)
}

/** Returns what a scheme needs from the person who connects. */
export function credentialFields({ type, oauth2Opts, basicOpts, customOpts }: Scheme): Field[] {
  if (type === 'apiKey') return [{ name: 'apiKey', label: 'API key', secret: true }]
  if (type === 'oauth2') return grantFields(oauth2Opts)
  if (type === 'basic') {
    // Where one of the two is a key, the other is empty.
    const optional = basicOpts?.apiKeyAsBasic === true
    return [
      { name: 'username', label: 'User name', secret: false, optional },
      { name: 'password', label: 'Password', secret: true, optional },
    ]
  }
  if (type !== 'custom') return []
  return (customOpts?.inputs ?? []).map(({ name, displayName, prompt, fieldType }) => ({
    name,
    label: displayName,
    ...(prompt !== undefined && { prompt }),
    secret: fieldType !== 'fieldTypeText' && fieldType !== 'fieldTypeSelect',
  }))
}

/** What a grant takes that needs no browser. */
function grantFields(options: Scheme['oauth2Opts']): Field[] {
  const kind = grantBlock(options)
  if (kind === undefined) return []
  return [
    ...(kind === 'oauth2PasswordCredentials'
      ? [
          { name: 'username', label: 'User name', secret: false },
          { name: 'password', label: 'Password', secret: true },
        ]
      : []),
    { name: 'clientId', label: 'Client id', secret: false },
    { name: 'clientSecret', label: 'Client secret', secret: true, optional: true },
    ...(options?.explicitScopesRequired ? [{ name: 'scopes', label: 'Scopes', secret: false }] : []),
  ]
}

/** The part of a request that carries the values of a grant; undefined where a person grants access in a browser. */
function grantBlock(
  options: Scheme['oauth2Opts'],
): 'oauth2ClientCredentials' | 'oauth2PasswordCredentials' | undefined {
  if (options?.grantType === 'clientCredentials') return 'oauth2ClientCredentials'
  return options?.grantType === 'password' ? 'oauth2PasswordCredentials' : undefined
}

/** Whether a person grants access in a browser. */
export function needsBrowser({ type, oauth2Opts }: Scheme): boolean {
  return type === 'oauth2' && grantBlock(oauth2Opts) === undefined
}

/** Returns the values that the provider needs from a customer in addition to the credential, for the default module. */
export function metadataFields({ metadata, defaultModule }: Provider): Field[] {
  return (metadata?.input ?? [])
    .filter(({ moduleDependencies }) => !moduleDependencies || Object.hasOwn(moduleDependencies, defaultModule))
    .map(({ name, displayName, prompt, defaultValue, optional }) => ({
      name,
      label: displayName ?? name,
      ...(prompt !== undefined && { prompt }),
      secret: false,
      ...(defaultValue !== undefined && { initial: defaultValue }),
      ...(optional === true && { optional }),
    }))
}

/** The part of a request that carries the credential. */
export function credentialBlock(
  { type, oauth2Opts }: Pick<Scheme, 'type' | 'oauth2Opts'>,
  values: Record<string, string>,
): Record<string, unknown> {
  switch (type) {
    case 'apiKey':
      return { apiKey: values['apiKey'] }
    case 'basic':
      return { basicAuth: { username: values['username'] ?? '', password: values['password'] ?? '' } }
    case 'custom':
      return { customAuth: values }
    case 'oauth2': {
      const block = grantBlock(oauth2Opts)
      if (block === undefined) return {}
      const { scopes, clientSecret = '', ...rest } = values
      const asked = (scopes ?? '').split(/[\s,]+/).filter((scope) => scope !== '')
      return { [block]: { ...rest, clientSecret, ...(asked.length > 0 && { scopes: asked }) } }
    }
    default:
      return {}
  }
}
