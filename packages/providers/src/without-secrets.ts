/** A shorter text stands in others by chance, in one of its spellings. */
const spelledFrom = 6

/**
 * A text of somebody else's without the secrets that they were sent, in any spelling in which they may come back: as
 * they are, percent-encoded, as a form writes them, escaped for JSON or HTML, in hex, in base64 of either alphabet,
 * alone or inside more (`Basic` credentials). Each becomes `[secret]`.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const spellings = [...new Set(secrets.flatMap(spellingsOf))].filter((spelling) => spelling !== '')
  return spellings
    .toSorted((a, b) => b.length - a.length)
    .reduce((safe, spelling) => safe.replaceAll(spelling, '[secret]'), text)
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
