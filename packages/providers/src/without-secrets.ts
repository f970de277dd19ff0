/** A shorter text is part of others by chance, in one of its spellings. */
const spelledFrom = 6

/**
 * Returns a foreign text without the secrets that were sent to its author. Each becomes `[secret]`, in any spelling:
 * unchanged, percent-encoded, as a form encodes it, escaped for JSON or HTML, in hex, in base64 of either alphabet,
 * alone or inside more (`Basic` credentials).
 *
 * @param secrets an array that never changes: its spellings are kept
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const spellings = known.get(secrets) ?? longestFirst(secrets)
  known.set(secrets, spellings)
  return spellings.reduce((safe, spelling) => safe.replaceAll(spelling, '[secret]'), text)
}

/** Spellings of the secrets of a credential, which come with each of its requests. */
const known = new WeakMap<readonly string[], readonly string[]>()

function longestFirst(secrets: readonly string[]): string[] {
  const spellings = new Set(secrets.flatMap(spellingsOf).filter((spelling) => spelling !== ''))
  return [...spellings].toSorted((a, b) => b.length - a.length)
}

function spellingsOf(secret: string): string[] {
  if (secret.length < spelledFrom) return [secret]
  const bytes = Buffer.from(secret)
  const percent = encodeURIComponent(secret.toWellFormed())
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].map((offset) => inBase64(bytes, offset))
  return [
    secret,
    percent,
    percent.replaceAll(/%../g, (code) => code.toLowerCase()),
    encodeURI(secret.toWellFormed()),
    encodeURIComponent(percent),
    new URLSearchParams({ x: secret }).toString().slice('x='.length),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** The characters of base64 that hold nothing but these bytes, when so many others stand before them (modulo three). */
function inBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}
