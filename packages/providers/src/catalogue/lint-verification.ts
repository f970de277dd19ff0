import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { SignedVerification, Verification } from './format/webhook-verification.ts'
import type { Webhooks } from './format/webhooks.ts'
import { httpToken, lintPlainHttp } from './lint-base.ts'
import { pathFault } from './path-fault.ts'

type Add = (path: Flaw['path'], message: string) => void

/** What the schema cannot say of a signature: secrets that nobody has, and what anybody could change. */
export function lintVerification(webhooks: Webhooks): Flaw[] {
  const flaws: Flaw[] = []
  const add: Add = (path, message) => flaws.push({ path: ['webhooks', 'verify', ...path], message })
  const { verify } = webhooks
  lintHeaders(verify, add)
  if (verify.by !== 'jwt' && verify.by !== 'oidc' && (verify.header === undefined) === (bodyOf(verify) === undefined))
    add([], 'needs one of "header" and "body"')
  if (verify.by === 'oidc') flaws.push(...lintKeySet(webhooks, verify.key.url))
  else if ('key' in verify) lintKey(webhooks, verify, add)
  else lintSecret(webhooks, verify, add)
  if (verify.by === 'token') {
    if (verify.list !== undefined && verify.body === undefined) add(['list'], 'needs "body": the path in each item')
    if (verify.user !== undefined && verify.prefix !== undefined)
      add(['prefix'], 'is not allowed with "user": Basic authentication has its own')
  }
  if (verify.by === 'hmac' || verify.by === 'publicKey') lintSignedText(webhooks, verify, add)
  return flaws
}

function bodyOf(verify: Verification): string | undefined {
  return 'body' in verify ? verify.body : undefined
}

function timestampOf(verify: Verification) {
  return 'timestamp' in verify ? verify.timestamp : undefined
}

function lintHeaders(verify: Verification, add: Add): void {
  const headers: [Flaw['path'], string | undefined][] = [
    [['header'], verify.header],
    [['timestamp', 'header'], timestampOf(verify)?.header],
  ]
  for (const [path, header] of headers)
    if (header !== undefined && !httpToken.test(header)) add(path, 'is not a valid header name')
}

function lintKey(
  { endpoint, registration }: Webhooks,
  { by, key }: Exclude<Extract<Verification, { key: unknown }>, { by: 'oidc' }>,
  add: Add,
): void {
  if (key.from === 'connection' && endpoint === 'app')
    add(['key', 'from'], 'is a value of one connection; with `endpoint: app`, all connections share one URL')
  if (key.from === 'answer' && registration?.secret === undefined)
    add(['key', 'from'], 'is the answer of a registration, whose path "secret" is not declared')
  const isNamed = key.from === 'app' || key.from === 'connection'
  if (isNamed !== (key.name !== undefined))
    add(['key', 'name'], 'is required for a value of the app or of a connection, and not allowed otherwise')
  if ((key.from === 'certificate') !== (key.certificate !== undefined))
    add(['key', 'certificate'], 'is required with `from: certificate`, and not allowed otherwise')
  if (key.from === 'certificate' && by !== 'publicKey') add(['key', 'from'], 'is allowed with `by: publicKey` only')
  if ((key.from === 'file') !== (key.value !== undefined))
    add(['key', 'value'], 'is required with `from: file`, and not allowed otherwise')
}

/** Refuses a key set without a secure URL, and URLs of one installation: only the app knows who sends. */
function lintKeySet({ endpoint }: Webhooks, url: string): Flaw[] {
  const at = ['webhooks', 'verify', 'key', 'url']
  if (!URL.canParse(url)) return [{ path: at, message: 'is not a URL' }]
  const flaws = lintPlainHttp(at, url)
  if (endpoint !== 'app') flaws.push({ path: ['webhooks', 'verify', 'by'], message: 'needs `endpoint: app`' })
  return flaws
}

function lintSecret(
  { endpoint, registration }: Webhooks,
  { secret }: Exclude<Verification, { key: unknown }>,
  add: Add,
): void {
  const isOfCustomer = secret.from === 'installation'
  if (endpoint === 'app' && (isOfCustomer || secret.from === 'credential'))
    add(['secret', 'from'], 'is of one connection; with `endpoint: app`, all connections share one URL')
  if (isOfCustomer && registration !== undefined)
    add(['secret', 'from'], 'is of a webhook that the customer sets up, but a registration is declared')
  if (isOfCustomer !== (secret.input !== undefined))
    add(['secret', 'input'], 'is required with `from: installation`, and not allowed otherwise')
  if (secret.from === 'answer' && registration?.secret === undefined)
    add(['secret', 'from'], 'is the answer of a registration, whose path "secret" is not declared')
  if (secret.from === 'generated' && registration === undefined)
    add(['secret', 'from'], 'is sent along with a registration, which is not declared')
  if (endpoint === 'app' && secret.from !== 'app')
    add(['secret', 'from'], 'must be `app`: with `endpoint: app`, all connections share one URL')
  if (secret.name !== undefined && secret.from !== 'app')
    add(['secret', 'name'], 'is a value of the app, but `from` is not `app`')
  if (secret.characters !== undefined && secret.from !== 'generated')
    add(['secret', 'characters'], 'is the length of a secret of ours, but `from` is not `generated`')
}

function lintSignedText({ endpoint, registration }: Webhooks, verify: SignedVerification, add: Add): void {
  const { timestamp, signedText, signedParts } = verify
  if (signedText !== undefined && signedParts !== undefined) add(['signedParts'], 'is not allowed with "signedText"')
  const names = (signedParts ?? [signedText ?? '{{body}}']).flatMap((text) => parseTemplate(text).variables)
  lintSignedValues(endpoint, verify, names, add)
  for (const name of names)
    if (!isSignedValue(name)) add(['signedText'], `uses the variable "${name}", which requests do not have`)
  if (names.includes('registration') && registration === undefined)
    add(['signedText'], 'uses the variable "registration", but no registration is declared')
  const isInBody = bodyOf(verify) !== undefined
  const hasBody = ['body', 'bodyCrc32', 'sortedForm'].some((name) => names.includes(name))
  if (isInBody === hasBody)
    add(
      ['signedText'],
      isInBody ? 'has the body, which contains the signature' : 'leaves the body out: anybody could change it',
    )
  if (timestamp === undefined) {
    if (names.includes('timestamp')) add(['timestamp'], 'is signed, and therefore required')
    return
  }
  if ((timestamp.header === undefined) === (timestamp.body === undefined))
    add(['timestamp'], 'needs one of "header" and "body"')
  const isSigned = names.includes('timestamp') || (timestamp.body !== undefined && hasBody)
  if (!isSigned) add(['timestamp'], 'is not signed: anybody could change it')
}

/** Refuses values that decide something and are not signed. */
function lintSignedValues(
  endpoint: Webhooks['endpoint'],
  verify: SignedVerification,
  names: readonly string[],
  add: Add,
): void {
  const isSigned = (path: string) => names.includes(`payload.${path}`)
  if (verify.by === 'hmac') {
    if (verify.nonce !== undefined && !isSigned(verify.nonce)) add(['nonce'], 'is not signed: anybody could change it')
    return
  }
  if (verify.sender !== undefined && !isSigned(verify.sender.at))
    add(['sender', 'at'], 'is not signed: anybody could change it')
  if (verify.sender !== undefined && endpoint === 'app')
    add(['sender'], 'is a value of one connection; with `endpoint: app`, all connections share one URL')
  if (verify.sha1When !== undefined && verify.algorithm !== 'rsaSha256')
    add(['sha1When'], 'is allowed with `rsaSha256` only')
}

function isSignedValue(name: string): boolean {
  if (name.startsWith('header.')) return httpToken.test(name.slice('header.'.length))
  if (name.startsWith('payload.')) return pathFault(name.slice('payload.'.length)) === undefined
  return ['body', 'bodyCrc32', 'sortedForm', 'timestamp', 'method', 'url', 'registration'].includes(name)
}

const ofAnswer = ['answer', 'hmac']

/** What a request may do that checks the URL: an unsigned one reveals nothing and changes nothing. */
export function lintHandshakes({ endpoint, verify, handshake = [] }: Webhooks): Flaw[] {
  const flaws: Flaw[] = []
  for (const [at, one] of handshake.entries()) {
    const { when, method, signed = true, answer, json, header, secret, token, visit } = one
    const add: Add = (path, message) => flaws.push({ path: ['webhooks', 'handshake', at, ...path], message })
    const parts = [answer, secret, visit].filter((part) => part !== undefined)
    if (signed ? parts.length !== 1 : secret !== undefined || visit !== undefined)
      add([], 'needs one of "answer", "secret" and "visit"; an unsigned one has only "answer"')
    if (signed && when === undefined) add([], 'needs "when": otherwise, every event would be one')
    if (signed && method === 'GET') add(['method'], 'has no body to sign; set `signed: false`')
    if (method === 'GET' && when !== undefined) add(['when'], 'is of the payload, which GET does not have')
    if (!signed && method !== 'GET' && when === undefined && answer === undefined)
      add([], 'needs "when" or "answer": otherwise, every event would be one')
    if (token !== undefined && signed) add(['token'], 'is of an unsigned request: the signature of others suffices')
    if (json !== undefined && header !== undefined) add(['header'], 'is not allowed with "json"')
    if (header !== undefined && !httpToken.test(header)) add(['header'], 'is not a valid header name')
    for (const name of json === undefined ? [] : namesIn(json))
      if (!ofAnswer.includes(name))
        add(['json'], `uses the variable "${name}"; only {{answer}} and {{hmac}} are available`)
      else if (name === 'hmac' && (!signed || verify.by !== 'hmac'))
        add(
          ['json'],
          'has {{hmac}}, which needs `by: hmac` and a signed request: otherwise, anybody could have texts signed',
        )
    if (secret !== undefined && (endpoint !== 'app' || 'key' in verify || verify.secret.from !== 'app'))
      add(['secret'], 'needs `endpoint: app` and a secret from the app')
  }
  return flaws
}

/** The variables of the templates in a JSON value. */
function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return [...parseTemplate(value).variables]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(namesIn)
}
