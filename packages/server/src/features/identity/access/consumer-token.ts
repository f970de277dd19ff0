import { createPublicKey, type KeyObject } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import { type Database, isId } from '../../../kernel/db/index.ts'
import { type CallerProject, type Identity, readJson, Unauthenticated } from '../../../kernel/http/index.ts'
import { type ChangedCredential, credentialsTopic, NodeCache, type PubSub } from '../../../kernel/pubsub/index.ts'
import { findActiveJwtKey } from './jwt-key-store.ts'
import type { FindIdentity, LookupAgain } from './key-lookup.ts'

/** How long a key is cached. */
const cacheMs = 5_000
const cacheEntries = 10_000
/** Maximum length of a token. */
const tokenCharsMax = 8 * 1024
/** Maximum time from `iat` to `exp`. */
const lifetimeMaxS = 600
/** Tolerated difference between the clocks of the signing server and this one. */
const skewS = 30
/** Maximum length of a connection's ref. */
const refCharsMax = 200

const compactForm = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+$/

interface VerifyingKey {
  label: string
  publicKey: KeyObject
  project: CallerProject
}

/**
 * Verifies the tokens that a builder's server signs for its end users (contract 7.3). They are signed by RS256 with an
 * active JWT key of the project, last ten minutes at most, and name one group and one consumer. The key is the one that
 * `kid` names, never one inside the token (`jwk`, `jku`, `x5u`, `x5c`). Its algorithm is fixed, so that no header can
 * turn the public key into a shared secret.
 *
 * If the signature is valid but the claims are not, the problem says why, because only the holder of the private key
 * gets that far. Everything else counts as no credential.
 */
export function createConsumerTokens({
  database,
  pubsub,
  now,
}: {
  database: Pick<Database, 'system'>
  pubsub: Pick<PubSub, 'subscribe'>
  now: () => Date
}): LookupAgain {
  const keys = new NodeCache<VerifyingKey, undefined, ChangedCredential>({
    pubsub,
    now,
    entriesMax: cacheEntries,
    maxAgeMs: cacheMs,
    keepsMissing: true,
    topic: credentialsTopic,
    invalidates: ({ table, id }) => {
      if (table === 'jwt_keys') return id?.toLowerCase() ?? (() => true)
      if (table === 'projects') return ({ value }) => id === undefined || value?.project.id === id
      return undefined
    },
    load: async (keyId) => {
      const owner = await findActiveJwtKey(database.system, keyId)
      if (!owner) return undefined
      const project = { id: owner.projectId, name: owner.projectName, orgId: owner.orgId }
      return { publicKey: createPublicKey(owner.publicKeyPem), label: owner.label, project }
    },
  })
  const identify = async (token: string, load: 'get' | 'reload'): Promise<Identity | undefined> => {
    const keyId = keyIdOf(token)
    if (keyId === undefined) return undefined
    const key = await keys[load](keyId, undefined)
    if (!key) return undefined
    const claims = await signedClaims(token, key.publicKey, now())
    if (!claims) return undefined
    const expiresAt = new Date(Number(claims['exp']) * 1000)
    return { caller: { kind: 'consumer', keyId, label: key.label, ...refsOf(claims) }, project: key.project, expiresAt }
  }
  const find: FindIdentity = (token) => identify(token, 'get')
  const again: FindIdentity = (token) => identify(token, 'reload')
  return Object.assign(find, { again })
}

/** Returns the id of the key that a token names; undefined if it cannot be a consumer token. */
function keyIdOf(token: string): string | undefined {
  const [, header, payload] = (token.length <= tokenCharsMax && compactForm.exec(token)) || []
  const { alg, kid } = objectIn(header) ?? {}
  // The payload is parsed as strictly: two parsers may see two different tokens if a name is repeated (RFC 7519, 4).
  if (alg !== 'RS256' || typeof kid !== 'string' || !isId(kid) || !objectIn(payload)) return undefined
  return kid.toLowerCase()
}

/** Parses the JSON object in a part of a token. Returns undefined if it is not an object, or repeats a name. */
function objectIn(part: string | undefined): Record<string, unknown> | undefined {
  if (part === undefined) return undefined
  try {
    const issues: never[] = []
    const value = readJson(Buffer.from(part, 'base64url'), issues)
    return issues.length === 0 && typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    // Not JSON, so not one of our tokens.
    return undefined
  }
}

/**
 * Verifies the signature and the times of a token and returns its claims; undefined if the signature is wrong.
 * @throws Unauthenticated
 */
async function signedClaims(
  token: string,
  publicKey: KeyObject,
  now: Date,
): Promise<Record<string, unknown> | undefined> {
  try {
    const { payload } = await jwtVerify(token, publicKey, {
      algorithms: ['RS256'],
      currentDate: now,
      clockTolerance: skewS,
      requiredClaims: ['iat', 'exp'],
    })
    // jose has verified that both are numbers.
    const [iat, exp] = [payload.iat ?? 0, payload.exp ?? 0]
    if (iat > now.getTime() / 1000 + skewS) throw refused('The token was issued in the future (`iat`).', clocks)
    if (exp - iat > lifetimeMaxS)
      throw refused(
        `The token lives longer than ${lifetimeMaxS} seconds.`,
        'Let `exp` be at most 600 seconds after `iat`.',
      )
    return payload
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw refused('The token has expired.', 'Sign a new token.')
    if (error instanceof errors.JWTClaimValidationFailed)
      throw refused(`The claim \`${error.claim}\` of the token is missing or not valid.`, clocks)
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

const clocks = 'Set `iat` and `exp` in seconds since 1970, and keep the clock of the signing server right.'

/** @throws Unauthenticated */
function refsOf(claims: Record<string, unknown>): { groupRef: string; consumerRef: string } {
  const ref = (name: string): string => {
    const value = claims[name]
    const fits =
      typeof value === 'string' &&
      value.length > 0 &&
      value.length <= refCharsMax &&
      value.isWellFormed() &&
      !value.includes('\u0000')
    if (!fits)
      throw refused(
        `The claim \`${name}\` of the token is missing or not valid.`,
        `Set \`${name}\` to a text of 1 to ${refCharsMax} characters.`,
      )
    return value
  }
  return { groupRef: ref('groupRef'), consumerRef: ref('consumerRef') }
}

function refused(detail: string, remedy: string) {
  return new Unauthenticated({ detail, remedy })
}
