import type { Credential } from '../connector.ts'
import type { ProviderEntry } from './entry.ts'
import type { Authentication } from './format/authentication.ts'

/** Credential blocks of a connection request (contract 3.7). */
export interface CredentialBlocks {
  apiKey?: string
  basicAuth?: { username: string; password: string }
  oauth2AuthorizationCode?: {
    accessToken?: { token: string }
    refreshToken?: { token: string }
    scopes?: readonly string[]
  }
  oauth2ClientCredentials?: { clientId: string; clientSecret: string; scopes?: readonly string[] }
  oauth2PasswordCredentials?: {
    username: string
    password: string
    clientId: string
    clientSecret: string
    scopes?: readonly string[]
  }
  customAuth?: Record<string, unknown>
}

/** `authScheme` of a connection (`interface.md`, Connection). */
export type AuthScheme =
  | 'none'
  | 'apiKey'
  | 'basic'
  | 'oauth2/authorizationCode'
  | 'oauth2/authorizationCodePKCE'
  | 'oauth2/clientCredentials'
  | 'oauth2/password'

export type CredentialChoice =
  | { scheme: Credential['scheme']; authScheme: AuthScheme; credential: Credential }
  /** No block fits: the blocks that the provider takes, in order of preference, in words for the user. */
  | { takes: string[] }

type Chosen = Exclude<CredentialChoice, { takes: string[] }>

/**
 * Which credential a connection takes. A block that fits the provider's first declared scheme wins; else the first block
 * that fits any declared scheme, in the order none, apiKey, basicAuth, oauth2AuthorizationCode (contract 3.7). Only where
 * none fits is a key sent as bearer token. An `oauth2AuthorizationCode` without an access token is no credential.
 */
export function chooseCredential(entry: ProviderEntry, blocks: CredentialBlocks): CredentialChoice {
  const schemes = entry.authentication
  const [preferred] = schemes
  const order = ['none', 'apiKey', 'basic', 'oauth2', 'custom']
  const inOrder = [...schemes].sort((a, b) => order.indexOf(a.scheme) - order.indexOf(b.scheme))
  for (const scheme of preferred === undefined ? [] : [preferred, ...inOrder]) {
    const chosen = fit(scheme, blocks)
    if (chosen !== undefined) return chosen
  }
  if (isGiven(blocks.apiKey)) return key(blocks.apiKey)
  return { takes: [...new Set(schemes.map(describeBlock))] }
}

function fit(scheme: Authentication, blocks: CredentialBlocks): Chosen | undefined {
  const { apiKey, basicAuth, oauth2AuthorizationCode } = blocks
  switch (scheme.scheme) {
    case 'none':
      return { scheme: 'none', authScheme: 'none', credential: { scheme: 'none' } }
    case 'apiKey':
      return isGiven(apiKey) ? key(apiKey) : undefined
    case 'basic':
      if (basicAuth !== undefined && (basicAuth.username !== '' || basicAuth.password !== '')) {
        const { username, password } = basicAuth
        return { scheme: 'basic', authScheme: 'basic', credential: { scheme: 'basic', username, password } }
      }
      return scheme.apiKeyAsBasic === true && isGiven(apiKey) ? key(apiKey) : undefined
    case 'oauth2': {
      const grant = scheme.grantType ?? 'authorizationCode'
      const accessToken = oauth2AuthorizationCode?.accessToken?.token
      const byCode = grant === 'authorizationCode' || grant === 'authorizationCodePKCE'
      if (!byCode || !isGiven(accessToken)) return undefined
      return { scheme: 'oauth2', authScheme: `oauth2/${grant}`, credential: { scheme: 'oauth2', accessToken } }
    }
    case 'custom':
      return undefined
  }
}

function key(apiKey: string): Chosen {
  return { scheme: 'apiKey', authScheme: 'apiKey', credential: { scheme: 'apiKey', apiKey } }
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}

function describeBlock(scheme: Authentication): string {
  switch (scheme.scheme) {
    case 'none':
      return 'no credential'
    case 'apiKey':
      return 'apiKey'
    case 'basic':
      return scheme.apiKeyAsBasic === true
        ? 'basicAuth {username, password} or apiKey'
        : 'basicAuth {username, password}'
    case 'oauth2':
      if (scheme.grantType === 'clientCredentials') return 'oauth2ClientCredentials (not yet supported)'
      if (scheme.grantType === 'password') return 'oauth2PasswordCredentials (not yet supported)'
      return 'oauth2AuthorizationCode {accessToken}'
    case 'custom':
      return 'customAuth (not yet supported)'
  }
}
