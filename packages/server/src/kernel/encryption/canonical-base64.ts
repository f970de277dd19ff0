/**
 * Decodes base64 or base64url (RFC 4648) that is spelt in its one canonical way. Node's own decoder skips what it does
 * not know and ignores spare bits, so that many texts stand for the same bytes.
 *
 * @returns `undefined` for any other spelling
 */
export function decodeCanonical(text: string, encoding: 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding)
  return bytes.toString(encoding) === text ? bytes : undefined
}
