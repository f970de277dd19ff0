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

/**
 * The headers that prove where a message comes from (Standard Webhooks 1.0, "Signature scheme"; Svix's names carry the
 * same values).
 *
 * @param keys every key that is valid now, newest first: one signature each, so that a receiver may know any of them
 * @param body the bytes that are sent
 */
export function signatureHeaders(
  keys: readonly KeyObject[],
  id: string,
  now: Date,
  body: Buffer,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const head = `${id}.${timestamp}.`
  let signature = ''
  for (const key of keys) {
    const mac = createHmac('sha256', key).update(head).update(body).digest('base64')
    signature = signature === '' ? `v1,${mac}` : `${signature} v1,${mac}`
  }
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    'svix-id': id,
    'svix-timestamp': timestamp,
    'svix-signature': signature,
  }
}
