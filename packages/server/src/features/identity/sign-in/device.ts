import { createHmac, randomBytes } from 'node:crypto'
import { isSameBytes, type Keyring } from '../../../kernel/encryption/index.ts'

/**
 * What tells a browser that has signed in to an account before (OWASP, device cookies). 32 bytes: the minute of its
 * issue (4), a random part (12), and half of an HMAC over both and the account (16). It proves an earlier sign-in and
 * signs nobody in. Nothing is stored.
 */

/** Browsers keep a cookie for 400 days at most. */
export const deviceDays = 400
const minuteMs = 60_000
const issueBytes = 4
const payloadBytes = 16

type Needed = { keyring: Keyring; now: () => Date }

/** @param email of the account, normalized */
export function newDevice({ keyring, now }: Needed, email: string): string {
  const payload = Buffer.alloc(payloadBytes)
  payload.writeUInt32BE(Math.floor(now().getTime() / minuteMs))
  randomBytes(payloadBytes - issueBytes).copy(payload, issueBytes)
  return Buffer.concat([payload, tagUnder(keyring.derive('sign-in'), email, payload)]).toString('base64url')
}

/** Whether the value was issued to a browser that signed in to this account. */
export function isDeviceOf({ keyring, now }: Needed, device: string, email: string): boolean {
  const bytes = Buffer.from(device, 'base64url')
  if (bytes.length !== 2 * payloadBytes) return false
  const [payload, tag] = [bytes.subarray(0, payloadBytes), bytes.subarray(payloadBytes)]
  const ageMs = now().getTime() - payload.readUInt32BE() * minuteMs
  return (
    ageMs <= deviceDays * 86_400_000 &&
    keyring.deriveAll('sign-in').some((key) => isSameBytes(tagUnder(key, email, payload), tag))
  )
}

function tagUnder(key: Buffer, email: string, payload: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['device', email, payload.toString('hex')]))
    .digest()
    .subarray(0, payloadBytes)
}
