import { constants, type KeyPairKeyObjectResult, verify } from 'node:crypto'
import type { ProviderEntry } from '../../catalogue/entry.ts'
import type { Assertion, CustomAuthentication } from '../../catalogue/format/custom-authentication.ts'
import { sampleValues } from '../sample-connection.ts'
import { secretOf } from '../sample-credentials.ts'
import { StandInLimit } from '../tried.ts'
import { filledText, type Values, variablesIn } from './fill.ts'
import type { Json } from './json-paths.ts'
import { signingKeys } from './signing-keys.ts'

/** What a customer and a provider app enter for a sign-in. */
export interface SignInValues {
  metadata: Record<string, string>
  /** Inputs as the customer sends them. */
  inputs: Record<string, unknown>
  app: Record<string, string>
  /** The same as templates see it. */
  texts: Values
}

/**
 * Returns a value for everything that a sign-in uses.
 *
 * @param wrong name of an input with another value than it should have
 */
export function signInValues(entry: ProviderEntry, scheme: CustomAuthentication, wrong?: string): SignInValues {
  const { token, inputs = [], appInputs = [] } = scheme
  const metadata = sampleValues(entry)
  const [keyName] = variablesIn(token?.assertion?.key)
  if (keyName !== undefined && token?.assertion?.key !== `{{${keyName}}}`)
    throw new StandInLimit('the private key is not one variable')
  const pem = (name: string) =>
    keysOf(token?.assertion, name === wrong ? 1 : 0)
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
  const given: Record<string, unknown> = {}
  const app: Record<string, string> = {}
  const texts: Json = { ...metadata }
  const names = variablesIn(scheme)
  for (const { name, kind } of [...inputs, ...appInputs]) {
    const text = secretOf(name === wrong ? `wrong-${name}` : name)
    if (kind === 'json') {
      const parts = names.flatMap((one) => (one.startsWith(`${name}.`) ? [one.slice(name.length + 1)] : []))
      const value = Object.fromEntries(
        parts.map((part) => [part, `${name}.${part}` === keyName ? pem(name) : `${part} of ${text}`]),
      )
      given[name] = Buffer.from(JSON.stringify(value)).toString('base64')
      texts[name] = value
    } else if (kind === 'list') {
      given[name] = [text, 'second']
      texts[name] = `${text} second`
    } else {
      given[name] = name === keyName ? Buffer.from(pem(name)).toString('base64') : text
      texts[name] = given[name]
    }
  }
  for (const { name } of appInputs) app[name] = String(texts[name])
  return { metadata, inputs: Object.fromEntries(inputs.map(({ name }) => [name, given[name]])), app, texts }
}

function keysOf(assertion: Assertion | undefined, which: 0 | 1): KeyPairKeyObjectResult {
  return signingKeys(assertion?.algorithm === 'ES256' ? 'ecdsaSha256' : 'rsaSha256', which)
}

/** Texts of the characters of a JWT (RFC 7519): one pass over any text, however long. */
const tokens = /[\w.-]+/g

function isJwt(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 3 && parts.every((part) => part.length >= 10)
}

/**
 * Replaces assertions by what the stand-in finds in them: each has another signature.
 *
 * @param known names of assertions, each with its values and the number of its key
 */
export function withCheckedAssertions(
  text: string,
  assertion: Assertion | undefined,
  known: readonly { name: string; values: Values; key: 0 | 1 }[],
  now: number,
): string {
  if (assertion === undefined) return text
  return text.replaceAll(tokens, (found) => {
    if (!isJwt(found)) return found
    const faults = known.map(({ values, key }) => assertionFault(found, assertion, values, keysOf(assertion, key), now))
    return known[faults.indexOf(undefined)]?.name ?? `an assertion with ${faults[0]}`
  })
}

/** RFC 7515 and RFC 7518, written for the stand-in alone. */
function assertionFault(
  found: string,
  { algorithm, keyId, claims, lifetimeSeconds = 300 }: Assertion,
  values: Values,
  { publicKey }: KeyPairKeyObjectResult,
  now: number,
): string | undefined {
  const [head = '', body = '', signature = ''] = found.split('.')
  const padding = algorithm === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {}
  const key = { key: publicKey, ...padding, dsaEncoding: 'ieee-p1363' as const }
  if (!verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')))
    return 'another signature'
  const kid = keyId === undefined ? undefined : filledText(keyId, values)
  const iat = Math.floor(now / 1000)
  const filled = Object.entries(claims).flatMap(([name, text]) => {
    const value = Array.isArray(text) ? text.flatMap((one) => filledText(one, values) ?? []) : filledText(text, values)
    return value === undefined ? [] : [[name, value] as const]
  })
  const wanted = [
    { alg: algorithm, typ: 'JWT', ...(kid !== undefined && { kid }) },
    { ...Object.fromEntries(filled), iat, exp: iat + lifetimeSeconds },
  ]
  const arrived = [head, body].map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Json)
  const at = wanted.findIndex((part, index) => sorted(part) !== sorted(arrived[index] ?? {}))
  return at < 0 ? undefined : `${JSON.stringify(arrived[at])}, declared: ${JSON.stringify(wanted[at])}`
}

const sorted = (part: Json) => JSON.stringify(Object.entries(part).toSorted(([one], [two]) => (one < two ? -1 : 1)))
