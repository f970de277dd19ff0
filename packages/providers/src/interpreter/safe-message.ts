const lengthMax = 500

/**
 * A provider's own words in a form that may be shown: one line, without control characters, without any spelling of the
 * credential (providers do echo keys: "Invalid API key: …"), at most 500 characters.
 */
export function safeMessage(text: string, secrets: readonly string[]): string {
  let safe = text
  for (const secret of secrets) {
    if (secret.length > 0) safe = safe.replaceAll(secret, '[secret]')
  }
  safe = safe.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return safe.length <= lengthMax ? safe : `${safe.slice(0, lengthMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
