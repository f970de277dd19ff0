import type { Credential } from '../connector.ts'
import { type CustomInputIssue, customInputIssues } from '../custom/custom-input-issues.ts'
import { isCustomComplete } from '../custom/custom-scheme.ts'
import { declaredInputs } from '../custom/custom-variables.ts'
import type { ProviderEntry } from './entry.ts'
import type { Authentication } from './format/authentication.ts'
import { schemeName, withScheme } from './scheme-names.ts'

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

/**
 * A credential that a connection stores; of OAuth tokens, either may be missing. A `grant` is exchanged for the first
 * tokens.
 */
export type ChosenCredential =
  | Exclude<Credential, { scheme: 'oauth2' }>
  | { scheme: 'oauth2'; accessToken?: string; refreshToken?: string }
  | { scheme: 'oauth2'; grant: 'clientCredentials' | 'password' }

export type CredentialChoice =
  /** `schemeName` is absent where a key fits no scheme, and is sent as bearer token. */
  | { authScheme: AuthScheme; credential: ChosenCredential; schemeName?: string }
  /** The provider takes this block, but nobody here knows how it becomes what requests carry. */
  | { later: string }
  /**
   * No block fits: the blocks that the provider takes, in order of preference, in words for the user. `missing` names
   * the inputs that a given `customAuth` lacks.
   */
  | { takes: string[]; missing: CustomInputIssue[] }

type Chosen = Extract<CredentialChoice, { credential: unknown }>

/**
 * Returns the credential that a connection takes. A block that fits the provider's first declared scheme wins.
 * Otherwise, it is the first block that fits any declared scheme, in the order none, apiKey, basicAuth, one of OAuth
 * 2.0, customAuth (contract 3.7). Only if none fits, a key is sent as bearer token. An `oauth2AuthorizationCode`
 * without a token does not count.
 *
 * @param wanted name of the only scheme that counts, one of `schemeNames`; all count when absent
 */
export function chooseCredential(entry: ProviderEntry, blocks: CredentialBlocks, wanted?: string): CredentialChoice {
  const { authentication: schemes } = (wanted !== undefined && withScheme(entry, wanted)) || entry
  const [preferred] = schemes
  const order = ['none', 'apiKey', 'basic', 'oauth2', 'custom']
  const inOrder = [...schemes].sort((a, b) => order.indexOf(a.scheme) - order.indexOf(b.scheme))
  for (const scheme of preferred === undefined ? [] : [preferred, ...inOrder]) {
    const chosen = fit(scheme, blocks)
    if (chosen !== undefined) return { ...chosen, schemeName: schemeName(scheme) }
  }
  if (isSet(blocks.apiKey) && wanted === undefined) return key(blocks.apiKey)
  const later = schemes.map((scheme) => laterBlock(scheme, blocks)).find((block) => block !== undefined)
  if (later !== undefined) return { later }
  const custom = schemes.find((scheme) => scheme.scheme === 'custom')
  return {
    takes: [...new Set(schemes.map(describeBlock))],
    missing:
      custom && !custom.multiStep && isBlockSet(blocks.customAuth) ? customInputIssues(custom, blocks.customAuth) : [],
  }
}

function fit(scheme: Authentication, blocks: CredentialBlocks): Chosen | undefined {
  const { apiKey, basicAuth, customAuth } = blocks
  const { oauth2AuthorizationCode, oauth2ClientCredentials, oauth2PasswordCredentials } = blocks
  switch (scheme.scheme) {
    case 'none':
      return { authScheme: 'none', credential: { scheme: 'none' } }
    case 'apiKey':
      return isSet(apiKey) ? key(apiKey) : undefined
    case 'basic':
      if (basicAuth !== undefined && (basicAuth.username !== '' || basicAuth.password !== '')) {
        const { username, password } = basicAuth
        return { authScheme: 'basic', credential: { scheme: 'basic', username, password } }
      }
      return scheme.apiKeyAsBasic === true && isSet(apiKey) ? key(apiKey) : undefined
    case 'oauth2': {
      const grant = scheme.grantType ?? 'authorizationCode'
      if (grant === 'clientCredentials' || grant === 'password') {
        // A public client has no secret; an empty password may be one.
        const client =
          grant === 'clientCredentials'
            ? oauth2ClientCredentials?.clientId
            : oauth2PasswordCredentials?.username && oauth2PasswordCredentials.clientId
        return isSet(client) ? { authScheme: `oauth2/${grant}`, credential: { scheme: 'oauth2', grant } } : undefined
      }
      const accessToken = oauth2AuthorizationCode?.accessToken?.token
      const refreshToken = oauth2AuthorizationCode?.refreshToken?.token
      if (!isSet(accessToken) && !isSet(refreshToken)) return undefined
      return {
        authScheme: `oauth2/${grant}`,
        credential: {
          scheme: 'oauth2',
          ...(isSet(accessToken) && { accessToken }),
          ...(isSet(refreshToken) && { refreshToken }),
        },
      }
    }
    case 'custom':
      if (scheme.multiStep === true || !isCustomComplete(scheme)) return undefined
      if (!isBlockSet(customAuth) || customInputIssues(scheme, customAuth).length > 0) return undefined
      // The enum of `interface.md` has no value for it; the catalog's `authType` has the details.
      return { authScheme: 'apiKey', credential: { scheme: 'custom', values: declaredInputs(scheme, customAuth) } }
  }
}

/** Returns the block of this scheme if it is present and the file does not describe how it is used. */
function laterBlock(scheme: Authentication, blocks: CredentialBlocks): string | undefined {
  if (scheme.scheme !== 'custom' || isCustomComplete(scheme) || !isBlockSet(blocks.customAuth)) return undefined
  return customInputIssues(scheme, blocks.customAuth).length === 0 ? 'customAuth' : undefined
}

function isBlockSet(block: Record<string, unknown> | undefined): block is Record<string, unknown> {
  return block !== undefined && Object.keys(block).length > 0
}

/** A copied key often ends with a line break or begins with a space. */
function key(apiKey: string): Chosen {
  return { authScheme: 'apiKey', credential: { scheme: 'apiKey', apiKey: apiKey.trim() } }
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

const unknownWords = '(not supported by this release)'

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
      if (scheme.grantType === 'clientCredentials') return 'oauth2ClientCredentials {clientId, clientSecret, scopes}'
      if (scheme.grantType === 'password')
        return 'oauth2PasswordCredentials {username, password, clientId, clientSecret, scopes}'
      return 'oauth2AuthorizationCode {accessToken, refreshToken}'
    case 'custom': {
      const names = (scheme.inputs ?? []).map(({ name }) => name).join(', ')
      const words = `customAuth${names && ` {${names}}`}`
      if (!isCustomComplete(scheme)) return `${words} ${unknownWords}`
      return scheme.multiStep === true ? `${words} by POST /custom-auth/connect` : words
    }
  }
}
