import { createHmac } from 'node:crypto'
import { parse, stringify } from 'uuid'
import { isSameBytes, type Keyring } from '../../../kernel/encryption/index.ts'

const idBytes = 16
const macBytes = 32
const tokenPattern = /^[A-Za-z0-9_-]{64}$/

/**
 * Returns the token of an invite's link: the id of the invite and its HMAC-SHA256, in base64url. The token is derived
 * on demand and never stored. The invite's status limits it to one use, and revoking the invite invalidates it.
 */
export function inviteToken(keyring: Pick<Keyring, 'derive'>, inviteId: string): string {
  const id = Buffer.from(parse(inviteId))
  return Buffer.concat([id, mac(keyring.derive('invite-link'), id)]).toString('base64url')
}

/** Returns the id of the invite that a token was made for; undefined if the token is not valid. */
export function inviteIdOf(keyring: Pick<Keyring, 'deriveAll'>, token: string): string | undefined {
  if (!tokenPattern.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const id = bytes.subarray(0, idBytes)
  const receivedMac = bytes.subarray(idBytes, idBytes + macBytes)
  // The link may have been made under a previous encryption key.
  if (!keyring.deriveAll('invite-link').some((key) => isSameBytes(mac(key, id), receivedMac))) return undefined
  return stringify(id)
}

function mac(key: Buffer, id: Buffer): Buffer {
  return createHmac('sha256', key).update(id).digest()
}
