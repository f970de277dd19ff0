import { parseApiKey } from '../../../kernel/encryption/index.ts'

/** `mortise_` and as many safe characters as make 32 to 200 in all. */
const keyShape = /^mortise_[A-Za-z0-9_.~+/=-]{24,192}$/
/** What a generated key looks like, whether its checksum is right or not. */
const generatedShape = /^mortise_live_[0-9A-Za-z]{34}$/

/**
 * Whether a text can be an API key at all. A text that looks like a generated key must carry the right checksum; a key
 * that the operator chose has any other look, and only the look-up tells.
 */
export function canBeApiKey(text: string): boolean {
  return generatedShape.test(text) ? parseApiKey(text) !== undefined : keyShape.test(text)
}

/** What may be shown of a key: its beginning and its last four characters. */
export function hintOf(key: string): string {
  return parseApiKey(key)?.hint ?? `mortise_…${key.slice(-4)}`
}
