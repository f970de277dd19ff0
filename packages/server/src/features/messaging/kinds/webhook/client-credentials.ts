import { createHash } from 'node:crypto'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
} from 'oauth4webapi'
import { OutboundError } from '../../../../kernel/net/index.ts'
import { type AccessToken, accessTokensOf, checkTokenType, UnusableTokenType } from '../access-tokens.ts'
import { createCalls, type HttpAnswer, jsonOf } from '../http-calls.ts'
import type { KindServices, SenderServices, SendOptions, SendResult } from '../kind.ts'
import type { SettingsReader } from '../settings-reader.ts'

/** How a webhook gets an access token: the client credentials grant (RFC 6749, section 4.4). */
export interface OAuthSettings {
  tokenUrl?: string
  clientId?: string
  clientSecret?: string
  scope?: string
  audience?: string
  clientAuthentication?: string
}

export function readOAuth(
  read: SettingsReader,
  guard: KindServices['guard'],
): { [K in keyof Required<OAuthSettings>]: OAuthSettings[K] | undefined } {
  const text = { what: 'a text of 1 to 500 characters without control characters', pattern: /^[^\p{Cc}]{1,500}$/u }
  const settings = {
    tokenUrl: read.optionalUrl('tokenUrl', guard, 'Give the token endpoint of your authorization server.'),
    clientId: read.optionalText('clientId', text),
    clientSecret: read.optionalText('clientSecret', { ...text, what: 'a client secret of 1 to 500 characters' }),
    scope: read.optionalText('scope', { ...text, what: 'scopes, separated by spaces' }),
    audience: read.optionalText('audience', text),
    clientAuthentication: read.optionalText('clientAuthentication', {
      what: 'basic or body',
      pattern: /^(?:basic|body)$/,
    }),
  }
  const needed = ['tokenUrl', 'clientId', 'clientSecret'] as const
  const isGiven = (name: keyof OAuthSettings) => settings[name] !== undefined || read.isGiven(name)
  if (Object.keys(settings).some((name) => isGiven(name as keyof OAuthSettings)))
    for (const name of needed)
      if (!isGiven(name)) read.refuse(name, 'is required for OAuth.', `Give ${needed.join(', ')}, or none of them.`)
  return settings
}

/** A token is renewed so long before it expires; one without a lifetime is used for five minutes. */
const marginMs = 60_000
const lifetimeSecsDefault = 300

/**
 * Returns an access token, from memory where there is one.
 *
 * @param renew whether the token in memory was refused
 * @returns the token, or what it means for the message that there is none
 */
export async function accessToken(
  settings: OAuthSettings,
  services: SenderServices,
  options: SendOptions,
  renew: boolean,
): Promise<string | SendResult | undefined> {
  const { tokenUrl, clientId, clientSecret } = settings
  if (tokenUrl === undefined || clientId === undefined || clientSecret === undefined) return undefined
  const { outbound, project } = services
  const tokens = accessTokensOf(outbound)
  const { scope, audience, clientAuthentication } = settings
  const parts = [tokenUrl, clientId, clientSecret, scope, audience, clientAuthentication]
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('base64')
  const found = renew ? undefined : tokens.find(project, key, options.time.getTime() + marginMs)
  if (found !== undefined) return found
  try {
    const made = await fetchToken({ ...settings, tokenUrl, clientId, clientSecret }, services, options)
    tokens.set(project, key, made)
    return made.token
  } catch (error) {
    if (error instanceof OutboundError) throw error
    const { host } = new URL(tokenUrl)
    if (error instanceof UnusableTokenType) return { outcome: 'retry', error: `${host} gave ${error.message}.` }
    return { outcome: 'retry', error: `${host} gave no access token${codeOf(error, clientSecret)}.` }
  }
}

/** What a header can have. Tokens stay in memory, so their length has a limit. */
const usableToken = /^[\x21-\x7e]{1,16384}$/

type Complete = OAuthSettings & { tokenUrl: string; clientId: string; clientSecret: string }

async function fetchToken(
  { tokenUrl, clientId, clientSecret, scope, audience, clientAuthentication }: Complete,
  services: SenderServices,
  options: SendOptions,
): Promise<AccessToken> {
  const call = createCalls(services, options)
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl }
  const client = { client_id: clientId }
  const send = async (url: string, init: { headers: Record<string, string>; body: URLSearchParams }) => {
    const answer = await call({ url: new URL(url), headers: init.headers, body: init.body.toString() })
    const type = answer.headers['content-type']
    return new Response(bodyOf(answer, clientSecret), {
      status: answer.status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    })
  }
  const authentication = clientAuthentication === 'body' ? ClientSecretPost : ClientSecretBasic
  const parameters = { ...(scope !== undefined && { scope }), ...(audience !== undefined && { audience }) }
  const response = await genericTokenEndpointRequest(
    server,
    client,
    authentication(clientSecret),
    'client_credentials',
    parameters,
    // Whether plain http may be spoken is the guard's to say.
    { [customFetch]: send, [allowInsecureRequests]: true },
  )
  const made = await processGenericTokenEndpointResponse(server, client, response)
  if (!usableToken.test(made.access_token)) throw new TypeError('No header can have this token.')
  const lifetimeMs = (made.expires_in ?? lifetimeSecsDefault) * 1_000
  return { token: made.access_token, expiresMs: options.time.getTime() + lifetimeMs }
}

/**
 * The body of an answer, as the library reads it: it requires `token_type`, and takes tokens that need a proof.
 *
 * @throws UnusableTokenType
 */
function bodyOf(answer: HttpAnswer, clientSecret: string): string {
  const body = jsonOf(answer)
  if (answer.status !== 200 || body === undefined) return answer.body.toString()
  checkTokenType(body['token_type'], [clientSecret])
  return JSON.stringify({ ...body, token_type: 'Bearer' })
}

/** The error code of the answer, if it is one that RFC 6749 could define. It may be an echo of the secret. */
function codeOf(error: unknown, secret: string): string {
  const code = error instanceof ResponseBodyError ? /^[a-z_]{1,40}$/.exec(error.error)?.[0] : undefined
  return code === undefined || secret.includes(code) || code.includes(secret) ? '' : ` (${code})`
}
