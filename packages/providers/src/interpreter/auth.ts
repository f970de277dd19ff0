import type { Authentication } from '../catalogue/format/authentication.ts'
import type { OAuth2Authentication } from '../catalogue/format/oauth2-authentication.ts'
import type { Attachment, Credential } from '../connector.ts'
import { customText, inputValue, secretsOf } from '../custom/custom-variables.ts'
import { openCookies } from '../custom/session-cookies.ts'
import { compileMap, filledMap, scopeOf } from './request.ts'

/**
 * How a credential is attached, by the first declared scheme of its kind; a key that no scheme describes is a bearer
 * token.
 */
export function attachCredential(schemes: readonly Authentication[], credential: Credential): Attachment {
  switch (credential.scheme) {
    case 'none':
      return { headers: {}, query: {}, secrets: [] }
    case 'basic':
      return basic(credential.username, credential.password, [credential.password])
    case 'oauth2': {
      const { name, prefix } = bearerOf(schemes)
      return header(name, `${prefix}${credential.accessToken}`, credential.accessToken)
    }
    case 'apiKey':
      return attachKey(schemes, credential.apiKey)
    case 'custom':
      return attachCustom(schemes, credential)
  }
}

/** Returns the access token that an attachment carries; undefined where it is not one of OAuth 2.0. */
export function accessTokenIn(schemes: readonly Authentication[], { headers }: Attachment): string | undefined {
  const { name, prefix } = bearerOf(schemes)
  const value = headers[name.toLowerCase()]
  return value?.startsWith(prefix) ? value.slice(prefix.length) : undefined
}

function bearerOf(schemes: readonly Authentication[]): { name: string; prefix: string } {
  const declared = schemes.find((scheme): scheme is OAuth2Authentication => scheme.scheme === 'oauth2')
  return { name: 'authorization', prefix: 'Bearer ', ...declared?.tokenHeader }
}

/**
 * Fills the declared headers and query parameters with the values; one that names a variable without a value is left
 * out.
 */
function attachCustom(
  schemes: readonly Authentication[],
  { values, cookies: stored }: Extract<Credential, { scheme: 'custom' }>,
): Attachment {
  const declared = schemes.find((scheme) => scheme.scheme === 'custom')
  const inputs = new Map(declared?.inputs?.map((input) => [input.name, input]))
  const known = Object.entries(values).map(([name, value]) => [name, inputValue(inputs.get(name), value)] as const)
  const text = customText(scopeOf(Object.fromEntries(known)))
  const fill = (templates: Record<string, string> = {}) => filledMap(compileMap(templates), text)
  const query = fill(declared?.query)
  const isSecret = ([name, value]: [string, string]) => declared?.query?.[name] !== value
  const cookies = stored === undefined ? undefined : openCookies(stored)
  return {
    headers: Object.fromEntries(
      Object.entries(fill(declared?.headers)).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    query,
    ...(declared?.form && { form: fill(declared.form) }),
    ...(cookies && { cookieFor: cookies.headerFor }),
    secrets: [
      ...secretsOf(values),
      ...Object.entries(query).flatMap((one) => (isSecret(one) ? [encodeURIComponent(one[1])] : [])),
      ...(cookies?.values() ?? []).filter((value) => value.length >= secretFrom),
    ],
  }
}

/** A shorter cookie, such as a language, is not a credential, and is part of many texts. */
const secretFrom = 6

/** The headers of a request to this URL that authenticate it. */
export function attachedHeaders({ headers, cookieFor }: Attachment, url: string): Record<string, string> {
  const cookie = cookieFor?.(url)
  return cookie === undefined ? headers : { ...headers, cookie }
}

function attachKey(schemes: readonly Authentication[], key: string): Attachment {
  for (const scheme of schemes) {
    if (scheme.scheme === 'basic' && scheme.apiKeyAsBasic === true) return basic(key, '', [key])
    if (scheme.scheme !== 'apiKey') continue
    if (scheme.attach === 'query') {
      return { headers: {}, query: { [scheme.name ?? 'api_key']: key }, secrets: [key, encodeURIComponent(key)] }
    }
    if (scheme.attach === 'basic') {
      const other = scheme.other ?? ''
      return scheme.name === 'password' ? basic(other, key, [key]) : basic(key, other, [key])
    }
    return header(scheme.name ?? 'authorization', `${scheme.prefix ?? ''}${key}`, key)
  }
  return header('authorization', `Bearer ${key}`, key)
}

function header(name: string, value: string, secret: string): Attachment {
  return { headers: { [name.toLowerCase()]: value }, query: {}, secrets: [secret] }
}

/** RFC 7617, UTF-8. */
function basic(username: string, password: string, secrets: string[]): Attachment {
  const encoded = Buffer.from(`${username}:${password}`, 'utf8').toString('base64')
  return { headers: { authorization: `Basic ${encoded}` }, query: {}, secrets: [...secrets, encoded] }
}
