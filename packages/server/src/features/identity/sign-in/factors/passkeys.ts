import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FactorRow } from './factor-store.ts'

/**
 * Passkeys (WebAuthn level 3) as a second factor: the password comes first, so a passkey need not verify the person
 * itself. We request no attestation and verify none. Its certificates name addresses to fetch, which a person of a
 * builder's organization must not make the service do.
 */

/** The library is loaded with the first passkey: few people have one, and it takes 15 MB. */
const library = async () => await import('@simplewebauthn/server')

/** EdDSA, ES256, RS256. */
const algorithms = [-8, -7, -257]
const timeoutMs = 600_000

/** The host that passkeys belong to, and the origin of our pages. */
export interface PasskeySite {
  rpId: string
  origin: string
}

/** Returns the site of the service; undefined where browsers allow no passkeys. */
export function passkeySite(publicUrl: string): PasskeySite | undefined {
  const { protocol, hostname, origin } = new URL(publicUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (isIP(hostname.replace(/^\[|\]$/g, '')) || (protocol !== 'https:' && !isLocal)) return undefined
  return { rpId: hostname, origin }
}

const descriptorOf = ({ credential_id, transports }: FactorRow) =>
  credential_id === null ? [] : [{ id: credential_id, ...(transports && { transports }) }]

/** Returns what a page passes to `navigator.credentials.create`. */
export async function passkeyCreationOptions(
  { rpId }: PasskeySite,
  builder: { id: string; email: string; fullName: string | undefined },
  { challenge, existing }: { challenge: string; existing: FactorRow[] },
): Promise<Record<string, unknown>> {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: 'Mortise',
    rpID: rpId,
    userName: builder.email,
    userDisplayName: builder.fullName ?? builder.email,
    userID: new Uint8Array(Buffer.from(builder.id.replaceAll('-', ''), 'hex')),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: existing.flatMap(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: algorithms,
  })
  return { ...options }
}

/** Returns what a page passes to `navigator.credentials.get`. */
export async function passkeyRequestOptions(
  { rpId }: PasskeySite,
  { challenge, existing }: { challenge: string; existing: FactorRow[] },
): Promise<Record<string, unknown>> {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: timeoutMs,
    allowCredentials: existing.flatMap(descriptorOf),
    userVerification: 'preferred',
  })
  return { ...options }
}

/** The response of a browser that created a passkey. */
export interface CreatedPasskey {
  id: string
  rawId: string
  type: 'public-key'
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] | undefined }
}

/** The response of a browser that used one. */
export interface UsedPasskey {
  id: string
  rawId: string
  type: 'public-key'
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | undefined }
}

export type PasskeyValues = Pick<FactorRow, 'credential_id' | 'public_key' | 'counter' | 'transports'>

const knownTransports = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])

/** Returns what to store of a new passkey. Fails if the response does not belong to the challenge and this site. */
export async function verifyCreatedPasskey(
  { rpId, origin }: PasskeySite,
  created: CreatedPasskey,
  challenge: string,
): Promise<PasskeyValues> {
  const { verifyRegistrationResponse } = await library()
  const response = {
    ...created,
    clientExtensionResults: {},
    response: { ...created.response, attestationObject: await withoutAttestation(created.response.attestationObject) },
  } as RegistrationResponseJSON
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: false,
    supportedAlgorithmIDs: algorithms,
  })
  if (!verified) throw new Error('the response of the passkey was not verified')
  const { id, publicKey, counter } = registrationInfo.credential
  return {
    credential_id: id,
    public_key: Buffer.from(publicKey),
    counter,
    transports: (created.response.transports ?? []).filter((one) => knownTransports.has(one)),
  }
}

/** Returns the next signature counter of a passkey. Fails if the response is not a signature of it. */
export async function verifyUsedPasskey(
  { rpId, origin }: PasskeySite,
  used: UsedPasskey,
  challenge: string,
  { credential_id, public_key, counter }: FactorRow,
): Promise<number> {
  if (credential_id === null || public_key === null || counter === null) throw new Error('the factor is not a passkey')
  const { verifyAuthenticationResponse } = await library()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...used, clientExtensionResults: {} } as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    credential: { id: credential_id, publicKey: new Uint8Array(public_key), counter },
    requireUserVerification: false,
  })
  if (!verified) throw new Error('the signature of the passkey is not valid')
  return authenticationInfo.newCounter
}

async function withoutAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
  const bare = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', decoded.get('authData')],
  ])
  return Buffer.from(isoCBOR.encode(bare as never)).toString('base64url')
}
