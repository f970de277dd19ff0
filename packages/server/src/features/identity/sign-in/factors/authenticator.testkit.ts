import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/**
 * An authenticator in software: it makes credentials and signatures as WebAuthn level 3 describes them, with ES256.
 * The changes of a test make it a hostile or broken one.
 */
export interface TestAuthenticator {
  id: string
  create(options: { challenge: string; rp: { id?: string } }, changes?: Changes): Created
  use(options: { challenge: string; rpId?: string }, changes?: Changes): Used
}

interface Changes {
  origin?: string
  /** Format and statement of the attestation; none by default. */
  attestation?: { fmt: string; attStmt: Map<string, unknown> }
  /** Signature counter; one more than before by default. */
  counter?: number
  rpId?: string
}

type Credential<R> = { id: string; rawId: string; type: 'public-key'; response: R }
type Created = Credential<{ clientDataJSON: string; attestationObject: string; transports: string[] }>
type Used = Credential<{ clientDataJSON: string; authenticatorData: string; signature: string }>

const flags = { present: 1, verified: 4, attested: 64 }

export function createAuthenticator(origin: string): TestAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const idBytes = randomBytes(32)
  const id = idBytes.toString('base64url')
  let count = 0

  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const head = (rpId: string, flag: number, counter: number) => {
    const counted = Buffer.alloc(4)
    counted.writeUInt32BE(counter)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flag]), counted])
  }

  return {
    id,
    create({ challenge, rp }, changes = {}) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const key = new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ])
      const length = Buffer.alloc(2)
      length.writeUInt16BE(idBytes.length)
      const authData = Buffer.concat([
        head(changes.rpId ?? rp.id ?? '', flags.present | flags.verified | flags.attested, changes.counter ?? count),
        Buffer.alloc(16),
        length,
        idBytes,
        isoCBOR.encode(key as never),
      ])
      const { fmt, attStmt } = changes.attestation ?? { fmt: 'none', attStmt: new Map() }
      const attestation = new Map<string, unknown>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', new Uint8Array(authData)],
      ])
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, changes.origin ?? origin).toString('base64url'),
          attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
          transports: ['internal', 'made-up'],
        },
      }
    },
    use({ challenge, rpId }, changes = {}) {
      count = changes.counter ?? count + 1
      const authData = head(changes.rpId ?? rpId ?? '', flags.present | flags.verified, count)
      const data = clientData('webauthn.get', challenge, changes.origin ?? origin)
      const signature = sign(
        'sha256',
        Buffer.concat([authData, createHash('sha256').update(data).digest()]),
        privateKey,
      )
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      }
    },
  }
}
