import { withoutSecrets } from '../without-secrets.ts'

const lengthMax = 500

/**
 * A provider's own words in a form that may be shown: one line, without control characters, without any spelling of the
 * credential (providers do echo keys: "Invalid API key: …"), at most 500 characters.
 */
export function safeMessage(text: string, secrets: readonly string[]): string {
  const safe = withoutSecrets(text, secrets)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return safe.length <= lengthMax ? safe : `${safe.slice(0, lengthMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
