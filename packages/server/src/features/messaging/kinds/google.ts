import { createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { Type } from 'typebox'
import { bareHost } from '../../../kernel/net/index.ts'
import { type AccessToken, accessTokensOf, checkTokenType, UnusableTokenType } from './access-tokens.ts'
import { createCalls, type HttpAnswer, type HttpCall, jsonOf, notDelivered, withoutCredential } from './http-calls.ts'
import type { KindServices, SenderServices, SendOptions, SendResult } from './kind.ts'
import { pemLines } from './pem-lines.ts'
import { cloudReceivers } from './receivers.ts'
import type { SettingsReader } from './settings-reader.ts'

/** What a key file of a service account says, as Google makes it. */
interface ServiceAccount {
  client_email: string
  private_key: string
  private_key_id?: string
  token_uri: string
}

/** A key file that was parsed: its key takes longer than all else that a send does before its request. */
interface ParsedAccount extends ServiceAccount {
  key: KeyObject
  /** Of the file. */
  digest: string
}

export interface GoogleCredentials {
  /** The key file, as text. */
  credentials: string
}

export const googleSecretProperties = {
  credentials: Type.String({ description: 'Key file of a service account of Google Cloud: its JSON, as text.' }),
}

/** Requests have an access token of the service account. The key file names the server that grants it. */
export const googleReceivers = { credentials: cloudReceivers('Google Cloud') }

export const googleEndpointProperty = (service: string) =>
  Type.String({ description: `Endpoint in place of the public one of ${service}: a private or a regional one.` })

/** Also with the domain of an organization before it: "example.com:project". */
export const projectRule = {
  what: 'the id of a project of Google Cloud',
  pattern: /^(?:[a-z0-9.-]{1,100}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
  remedy: 'Give the id of the project, not its name or number.',
}

const credentialsRemedy = 'Give the JSON of a key that you created for a service account in Google Cloud.'

/** Reads the key file of a service account. Empty if it is missing or refused. */
export function readGoogleCredentials(read: SettingsReader, guard: KindServices['guard']): string {
  const text = read.text('credentials', {
    what: 'the key file of a service account, as text',
    pattern: /^\s*\{.{1,16000}$/s,
    remedy: credentialsRemedy,
  })
  if (text === '') return text
  const reason = whyRefused(text, guard)
  if (reason !== undefined) read.refuse('credentials', `is not accepted. ${reason}`, credentialsRemedy)
  return text
}

function whyRefused(text: string, guard: KindServices['guard']): string | undefined {
  const account = parseAccount(text)
  if (typeof account === 'string') return account
  const url = URL.parse(account.token_uri)
  if (url === null || guard.checkUrl(url) !== undefined || !isTokenHost(url, guard))
    return 'Its token_uri must be an https URL at googleapis.com.'
  return undefined
}

/** Google, or an address in a network that the operator allowed. */
function isTokenHost(url: URL, guard: KindServices['guard']): boolean {
  const host = bareHost(url)
  if (isIP(host) !== 0) return guard.isAllowedPrivate(host)
  return url.protocol === 'https:' && /(?:^|\.)googleapis\.com$/.test(host)
}

function parseAccount(text: string): ParsedAccount | string {
  const file = jsonOf({ body: Buffer.from(text) })
  if (file === undefined) return 'It is not a JSON object.'
  const { client_email, private_key, private_key_id, token_uri = googleTokenUrl } = file
  if (file['type'] !== 'service_account') return 'Its type must be service_account.'
  if (typeof client_email !== 'string' || typeof private_key !== 'string' || typeof token_uri !== 'string')
    return 'It must have client_email, private_key and token_uri.'
  const key = keyOf(private_key)
  if (key === undefined) return 'Its private_key must be a key in PEM.'
  if (key.asymmetricKeyType !== 'rsa') return 'Its private_key must be an RSA key.'
  const id = typeof private_key_id === 'string' ? { private_key_id } : {}
  return { client_email, private_key, token_uri, ...id, key, digest: digestOf(text) }
}

function keyOf(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

const googleTokenUrl = 'https://oauth2.googleapis.com/token'

/** Parsed key files by their digests. Each run of deliveries opens the settings again. */
const accounts = new LRUCache<string, ParsedAccount>({ max: 500 })
/** The accounts of settings in use, so that a send computes no digest. */
const accountsInUse = new WeakMap<GoogleCredentials, ParsedAccount>()

function accountOf(settings: GoogleCredentials): ParsedAccount {
  const used = accountsInUse.get(settings)
  if (used) return used
  const known = accounts.get(digestOf(settings.credentials))
  const account = known ?? parseAccount(settings.credentials)
  if (typeof account === 'string') throw new TypeError(account)
  accounts.set(account.digest, account)
  accountsInUse.set(settings, account)
  return account
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64')

/** Returns what must not be shown: the file, and its key as a whole and line by line. */
export function googleSecretsOf(settings: GoogleCredentials): string[] {
  const { private_key, private_key_id } = accountOf(settings)
  return [
    settings.credentials,
    private_key,
    ...pemLines(private_key),
    ...(private_key_id === undefined ? [] : [private_key_id]),
  ]
}

const lifetimeSecs = 3_600
/** A token is renewed so long before it expires. */
const marginMs = 120_000

/** No token: the answer of Google says why. */
class TokenRefused extends Error {
  readonly result: SendResult
  constructor(result: SendResult) {
    super(result.error)
    this.result = result
  }
}

type Call = (call: HttpCall) => Promise<HttpAnswer>

/**
 * Makes calls with an access token of a service account (RFC 7523: a signed JWT for a token). A token that is refused
 * is renewed once.
 *
 * @returns the answer, or what it means for the messages that there is no token
 */
export function createGoogleCalls(
  settings: GoogleCredentials,
  { scope, services, options }: { scope: string; services: SenderServices; options: SendOptions },
): (call: HttpCall) => Promise<HttpAnswer | SendResult> {
  const { send, renew } = createGoogleCallsOnce(settings, { scope, services, options })
  return async (request) => {
    const answer = await send(request)
    if ('outcome' in answer || answer.status !== 401) return answer
    renew()
    return send(request)
  }
}

/** Makes such calls of bodies that can be read only once. After a 401, `renew` gives the next call a new token. */
export function createGoogleCallsOnce(
  settings: GoogleCredentials,
  { scope, services, options }: { scope: string; services: SenderServices; options: SendOptions },
): { send: (call: HttpCall) => Promise<HttpAnswer | SendResult>; renew: () => void } {
  const call = createCalls(services, options)
  const account = accountOf(settings)
  const tokens = accessTokensOf(services.outbound)
  const key = `${account.digest} ${scope}`
  const tokenNow = async () => {
    const found = tokens.find(services.project, key, options.time.getTime() + marginMs)
    if (found !== undefined) return found
    const made = await fetchToken(call, account, scope, options.time)
    tokens.set(services.project, key, made)
    return made.token
  }
  return {
    renew: () => tokens.delete(services.project, key),
    async send(request) {
      try {
        const token = await tokenNow()
        return await call({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } })
      } catch (error) {
        if (error instanceof TokenRefused) return error.result
        throw error
      }
    },
  }
}

async function fetchToken(
  call: Call,
  { client_email, private_key_id, token_uri, key }: ParsedAccount,
  scope: string,
  time: Date,
): Promise<AccessToken> {
  const issued = Math.floor(time.getTime() / 1_000)
  const assertion = await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(private_key_id !== undefined && { kid: private_key_id }) })
    .setIssuer(client_email)
    .setAudience(token_uri)
    .setIssuedAt(issued)
    .setExpirationTime(issued + lifetimeSecs)
    .sign(key)
  const url = new URL(token_uri)
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await call({ url, headers, body: body.toString() })
  const { access_token: token, token_type: type, expires_in: seconds, error } = jsonOf(answer) ?? {}
  if (answer.status === 200) refuseType(type, url, assertion)
  if (answer.status === 200 && typeof token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(token)) {
    const lastsMs = typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, lifetimeSecs) * 1_000 : 0
    return { token, expiresMs: time.getTime() + lastsMs }
  }
  const code = typeof error === 'string' ? /^\w{1,60}$/.exec(error)?.[0] : undefined
  const reason = `${url.host} gave no access token (${code ?? answer.status}).`
  const safe = answer.status === 200 ? Buffer.alloc(0) : withoutCredential(answer.body, assertion)
  const shown = { ...answer, body: safe }
  throw new TokenRefused(notDelivered(url, shown, time, reason))
}

/** @throws TokenRefused for a token that cannot be sent */
function refuseType(type: unknown, { host }: URL, assertion: string): void {
  try {
    checkTokenType(type, [assertion])
  } catch (error) {
    if (!(error instanceof UnusableTokenType)) throw error
    throw new TokenRefused({ outcome: 'retry', error: `${host} gave ${error.message}.` })
  }
}

/** What an error of a Google API means for a message. Shows its status, which people look up. */
export function googleError(url: URL, answer: HttpAnswer, time: Date): SendResult {
  const error = jsonOf(answer)?.['error']
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'status') : undefined
  const shown = typeof code === 'string' ? /^[A-Z_]{3,60}$/.exec(code)?.[0] : undefined
  const reason = shown === undefined ? undefined : `${url.host} answered ${answer.status} (${shown}).`
  return notDelivered(url, answer, time, reason)
}
