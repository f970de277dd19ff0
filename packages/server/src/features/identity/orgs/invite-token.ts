import { createHmac } from 'node:crypto'
import { parse, stringify } from 'uuid'
import { isSameBytes, type Keyring } from '../../../kernel/encryption/index.ts'

const idBytes = 16
const macBytes = 32
const tokenPattern = /^[A-Za-z0-9_-]{64}$/

/**
 * The token in an invite's link: the id of the invite and its HMAC-SHA256, in base64url. It is derived where it is
 * needed and stored nowhere; the status of the invite makes it good for one use, and revoking the invite ends it.
 */
export function inviteToken(keyring: Pick<Keyring, 'derive'>, inviteId: string): string {
  const id = Buffer.from(parse(inviteId))
  return Buffer.concat([id, mac(keyring.derive('invite-link'), id)]).toString('base64url')
}

/** The invite that a token was made for; undefined when it was not made here. */
export function inviteIdOf(keyring: Pick<Keyring, 'deriveAll'>, token: string): string | undefined {
  if (!tokenPattern.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const id = bytes.subarray(0, idBytes)
  const given = bytes.subarray(idBytes, idBytes + macBytes)
  // A link may have been made under the root key before this one.
  if (!keyring.deriveAll('invite-link').some((key) => isSameBytes(mac(key, id), given))) return undefined
  return stringify(id)
}

function mac(key: Buffer, id: Buffer): Buffer {
  return createHmac('sha256', key).update(id).digest()
}
