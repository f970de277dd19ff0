import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import type { TestApp } from './test-app.ts'

export interface TestSigner {
  /** Id of the JWT key. */
  kid: string
  publicKeyPem: string
  privateKey: KeyObject
  /**
   * A token for a group and a consumer, ten minutes from now by the clock of the app; claims and header can be
   * replaced.
   */
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>, key?: KeyObject | Uint8Array): Promise<string>
  /** The same as headers of `app.call(…, { apiKey: null, headers })`. */
  headers(groupRef: string, consumerRef: string): Promise<{ authorization: string }>
}

/**
 * What a builder's own server does: it makes a pair of keys, gives us the public one, and signs tokens for its end
 * users.
 */
export async function createSigner(
  app: Pick<TestApp, 'call' | 'clock'>,
  { apiKey, project = 'default' }: { apiKey?: string; project?: string } = {},
): Promise<TestSigner> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const body = { label: 'tests', algorithm: 'RS256', publicKeyPem }
  const made = await app.call<{ kid: string }>(
    'POST',
    `/projects/${project}/jwt-keys`,
    body,
    apiKey === undefined ? {} : { apiKey },
  )
  if (made.status !== 201) throw new Error(`createJWTKey: ${made.status}`)
  const { kid } = made.body
  const sign: TestSigner['sign'] = (claims, header = {}, key = privateKey) => {
    const iat = Math.floor(app.clock.now().getTime() / 1000)
    return new SignJWT({ iat, exp: iat + 600, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid, ...header })
      .sign(key)
  }
  return {
    kid,
    publicKeyPem,
    privateKey,
    sign,
    headers: async (groupRef, consumerRef) => ({ authorization: `Bearer ${await sign({ groupRef, consumerRef })}` }),
  }
}
