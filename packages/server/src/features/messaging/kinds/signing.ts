import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/** A signing secret as receivers are given it: `whsec_` and 32 bytes in base64. */
export function newSigningSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`
}

const prefix = 'whsec_'

/** The key that signs. As a key object: made of bytes for each message, it would cost four times the signature. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(prefix.length), 'base64')
}

/** Values that prove where a message comes from. */
export interface Signature {
  /** Unix time in seconds. */
  timestamp: string
  /** One signature for each key, separated by spaces. */
  signature: string
}

/**
 * Signs a message (Standard Webhooks 1.0, "Signature scheme").
 *
 * @param keys every key that is valid now, newest first: one signature each, so that a receiver may know any of them
 * @param body the bytes that are sent
 */
export function signatureOf(keys: readonly KeyObject[], id: string, now: Date, body: Buffer): Signature {
  const started = startSignature(keys, id, now)
  started.update(body)
  return started.finish()
}

/** Signs a body that is read in parts: `update` takes them in their order. */
export function startSignature(
  keys: readonly KeyObject[],
  id: string,
  now: Date,
): { update(part: Buffer): void; finish(): Signature } {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const macs = keys.map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.`))
  return {
    update(part) {
      for (const mac of macs) mac.update(part)
    },
    finish: () => ({ timestamp, signature: macs.map((mac) => `v1,${mac.digest('base64')}`).join(' ') }),
  }
}

/** The headers of a signed request. Svix's names carry the same values. */
export function signatureHeaders(
  keys: readonly KeyObject[],
  id: string,
  now: Date,
  body: Buffer,
): Record<string, string> {
  const { timestamp, signature } = signatureOf(keys, id, now, body)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    'svix-id': id,
    'svix-timestamp': timestamp,
    'svix-signature': signature,
  }
}
