/**
 * Every form in which a secret may stand in a text: raw, percent-encoded, as a form writes it, hex, base64 in all three
 * alignments and both alphabets.
 */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const percent = encodeURIComponent(secret)
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // Only the characters that hold nothing but bits of the secret.
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
  })
  const all = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replaceAll(/%../g, (code) => code.toLowerCase()),
    encodeURIComponent(percent),
    new URLSearchParams({ x: secret }).toString().slice(2),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
  return [...new Set(all)]
}
