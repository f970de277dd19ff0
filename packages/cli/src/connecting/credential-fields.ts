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

/** A way to authenticate at a provider. */
export type Scheme = 'apiKey' | 'basic' | 'custom' | 'oauth2' | 'none'

/** The ways that a provider has, the preferred one first. */
export function schemesOf({ authType, apiKeyOpts, basicOpts, customOpts, oauth2Opts }: Provider): Scheme[] {
  const declared: [Scheme, unknown][] = [
    ['oauth2', oauth2Opts],
    ['apiKey', apiKeyOpts],
    ['basic', basicOpts],
    ['custom', customOpts],
  ]
  const schemes = declared.flatMap(([scheme, block]) => (block ? [scheme] : []))
  const preferred = schemes.find((scheme) => scheme === authType)
  if (schemes.length === 0) return ['none']
  return preferred ? [preferred, ...schemes.filter((scheme) => scheme !== preferred)] : schemes
}

/** What a scheme takes of whoever connects. */
export function credentialFields({ basicOpts, customOpts }: Provider, scheme: Scheme): Field[] {
  if (scheme === 'apiKey') return [{ name: 'apiKey', label: 'API key', secret: true }]
  if (scheme === 'basic') {
    // Where one of the two is a key, the other is empty.
    const optional = basicOpts?.apiKeyAsBasic === true
    return [
      { name: 'username', label: 'User name', secret: false, optional },
      { name: 'password', label: 'Password', secret: true, optional },
    ]
  }
  if (scheme !== 'custom') return []
  return (customOpts?.inputs ?? []).map(({ name, displayName, prompt, fieldType }) => ({
    name,
    label: displayName,
    ...(prompt !== undefined && { prompt }),
    secret: fieldType !== 'fieldTypeText' && fieldType !== 'fieldTypeSelect',
  }))
}

/** Values beside the credential that the provider needs of a customer, for the module that is used when none is named. */
export function metadataFields({ metadata, defaultModule }: Provider): Field[] {
  return (metadata?.input ?? [])
    .filter(({ moduleDependencies }) => !moduleDependencies || Object.hasOwn(moduleDependencies, defaultModule))
    .map(({ name, displayName, prompt, defaultValue }) => ({
      name,
      label: displayName ?? name,
      ...(prompt !== undefined && { prompt }),
      secret: false,
      ...(defaultValue !== undefined && { initial: defaultValue }),
    }))
}

/** The part of a request that carries the credential. */
export function credentialBlock(scheme: Scheme, values: Record<string, string>): Record<string, unknown> {
  if (scheme === 'apiKey') return { apiKey: values['apiKey'] }
  if (scheme === 'basic')
    return { basicAuth: { username: values['username'] ?? '', password: values['password'] ?? '' } }
  return scheme === 'custom' ? { customAuth: values } : {}
}
