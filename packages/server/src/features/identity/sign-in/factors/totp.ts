import { Secret, TOTP } from 'otpauth'

/**
 * Codes of authenticator apps (RFC 6238): six digits, SHA-1, a new one every 30 seconds. Apps ignore other settings.
 * A code is accepted in its step and the one before and after, because clocks differ (5.2).
 */
const settings = { algorithm: 'SHA1', digits: 6, period: 30 }
const secretBytes = 20

/** Returns a random secret in base32, as apps take it. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32
}

/** Returns the address that an app reads from a QR code. */
export function totpUri(secret: string, { publicUrl, email }: { publicUrl: string; email: string }): string {
  const issuer = `Mortise (${new URL(publicUrl).hostname})`
  return new TOTP({ ...settings, issuer, label: email, secret: Secret.fromBase32(secret) }).toString()
}

/** Returns the step that a code belongs to; undefined if it is not a code of this secret at this time. */
export function totpStep(secret: string, code: string, now: Date): number | undefined {
  if (!isTotpCode(code)) return undefined
  const timestamp = now.getTime()
  const delta = TOTP.validate({ ...settings, secret: Secret.fromBase32(secret), token: code, timestamp, window: 1 })
  return delta === null ? undefined : TOTP.counter({ period: settings.period, timestamp }) + delta
}

/** Returns whether a text looks like a code of an app: six digits. */
export function isTotpCode(text: string): boolean {
  return /^\d{6}$/.test(text)
}
