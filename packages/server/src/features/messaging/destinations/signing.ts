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

/** A secret that was replaced and still signs, until then. */
export interface PreviousSecret {
  sealed: string
  /** RFC 3339. */
  until: string
}

const overlapMs = 24 * 60 * 60 * 1_000
const previousMax = 10

/** The replaced secrets after one more was replaced, newest first: each signs for a day more, at most ten of them. */
export function afterRotation(replaced: string, previous: readonly PreviousSecret[], now: Date): PreviousSecret[] {
  const until = new Date(now.getTime() + overlapMs).toISOString()
  return [{ sealed: replaced, until }, ...validSecrets(previous, now)].slice(0, previousMax)
}

/** Those of the replaced secrets that still sign. */
export function validSecrets(previous: readonly PreviousSecret[], now: Date): PreviousSecret[] {
  return previous.filter(({ until }) => new Date(until) > now)
}
