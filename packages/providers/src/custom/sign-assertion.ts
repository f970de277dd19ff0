import { createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Assertion } from '../catalogue/format/custom-authentication.ts'
import { parseTemplate, render, type Variables } from '../interpreter/template.ts'
import { CustomAuthRefused } from './custom-auth-refused.ts'

const defaultLifetimeSeconds = 300

/**
 * A JWT that proves who asks (RFC 7523, 3).
 *
 * @param now milliseconds since 1970
 * @throws CustomAuthRefused when the key is none, or is of another kind than the algorithm
 */
export async function signAssertion(declared: Assertion, text: Variables, now: number): Promise<string> {
  const { algorithm, keyId, lifetimeSeconds = defaultLifetimeSeconds } = declared
  const key = privateKey(render(parseTemplate(declared.key), text))
  if (key === undefined || !fits[algorithm](key)) {
    throw new CustomAuthRefused(
      'unusable_key',
      `The private key cannot be used: a key for ${algorithm} is needed, as PEM or Base64 of it.`,
    )
  }
  const kid = keyId === undefined ? undefined : render(parseTemplate(keyId), text)
  const issuedAt = Math.floor(now / 1000)
  const claims = Object.entries(declared.claims).flatMap(([name, template]) => {
    const value = Array.isArray(template) ? filledList(template, text) : render(parseTemplate(template), text)
    return value === undefined ? [] : [[name, value] as const]
  })
  return new SignJWT(Object.fromEntries(claims))
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(kid !== undefined && { kid }) })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(key)
}

/** A private key from PEM (PKCS #8, PKCS #1 or SEC 1) or Base64 of it. Undefined when it is none. */
export function privateKey(text: string | undefined): KeyObject | undefined {
  if (text === undefined) return undefined
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64').toString('utf8')
  try {
    // Where a form keeps one line only, line ends arrive as the two characters "\n".
    return createPrivateKey(pem.replaceAll('\\n', '\n').trim())
  } catch {
    return undefined
  }
}

/** RFC 7518, 3.3 and 3.5: RSA keys have 2048 bits or more. */
const isRsa = (key: KeyObject) =>
  key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048
const fits: Record<Assertion['algorithm'], (key: KeyObject) => boolean> = {
  RS256: isRsa,
  PS256: isRsa,
  ES256: (key) => key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1',
}

function filledList(templates: readonly string[], text: Variables): string[] {
  return templates.flatMap((template) => render(parseTemplate(template), text) ?? [])
}
