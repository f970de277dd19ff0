import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { isSameBytes } from '../../../../kernel/encryption/index.ts'

const derive = promisify(pbkdf2)

/** A broker could otherwise keep this service busy with one password. */
const iterationsMin = 4_096
const iterationsMax = 1_000_000

/** What a broker said in a login is not what RFC 5802 describes, or proves that it does not know the password. */
export class ScramRefused extends Error {
  override name = 'ScramRefused'
}

/**
 * Logs in with a password that is not sent (RFC 5802).
 *
 * @param hash `sha256` or `sha512`
 * @param exchange sends a message, and returns the answer
 * @param nonce a random text, in Base64
 * @throws ScramRefused
 */
export async function logInByScram(
  { username, password, hash }: { username: string; password: string; hash: 'sha256' | 'sha512' },
  exchange: (message: string) => Promise<string>,
  nonce = randomBytes(18).toString('base64'),
): Promise<void> {
  const first = `n=${username.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}`
  const challenge = await exchange(`n,,${first}`)
  const fields = fieldsOf(challenge)
  const [serverNonce = '', salt = '', count = ''] = [fields.get('r'), fields.get('s'), fields.get('i')]
  const iterations = /^\d{1,9}$/.test(count) ? Number(count) : 0
  if (!serverNonce.startsWith(nonce) || serverNonce.length <= nonce.length || salt === '')
    throw new ScramRefused('The broker does not follow RFC 5802.')
  if (iterations < iterationsMin || iterations > iterationsMax)
    throw new ScramRefused(`The broker requires ${iterations} iterations, not ${iterationsMin} to ${iterationsMax}.`)
  const length = hash === 'sha256' ? 32 : 64
  const salted = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), iterations, length, hash)
  const mac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest()
  const clientKey = mac(salted, 'Client Key')
  const last = `c=${Buffer.from('n,,').toString('base64')},r=${serverNonce}`
  const all = `${first},${challenge},${last}`
  const signature = mac(createHash(hash).update(clientKey).digest(), all)
  const proof = clientKey.map((byte, at) => byte ^ (signature[at] ?? 0))
  const answer = fieldsOf(await exchange(`${last},p=${Buffer.from(proof).toString('base64')}`))
  const verifier = Buffer.from(answer.get('v') ?? '', 'base64')
  const expected = mac(mac(salted, 'Server Key'), all)
  if (!isSameBytes(verifier, expected)) throw new ScramRefused('The broker does not know the password.')
}

function fieldsOf(message: string): Map<string, string> {
  return new Map(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]))
}
