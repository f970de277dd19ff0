import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto'

type Algorithm = 'ed25519' | 'ecdsaSha256' | 'rsaSha256'

const made = new Map<string, KeyPairKeyObjectResult>()

/** Returns one of two key pairs of an algorithm. An RSA key takes a tenth of a second to make, so each is made once. */
export function signingKeys(algorithm: Algorithm, which: 0 | 1): KeyPairKeyObjectResult {
  const name = `${algorithm} ${which}`
  const known = made.get(name) ?? newKeys(algorithm)
  made.set(name, known)
  return known
}

function newKeys(algorithm: Algorithm): KeyPairKeyObjectResult {
  if (algorithm === 'ed25519') return generateKeyPairSync('ed25519')
  if (algorithm === 'ecdsaSha256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}
