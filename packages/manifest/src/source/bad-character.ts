/** Offset of the first character that YAML refuses or that PostgreSQL could not store; -1 where there is none. */
export function badCharacter(text: string): number {
  const isWellFormed = text.isWellFormed()
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 ? unit !== 0x09 && unit !== 0x0a && unit !== 0x0d : unit === 0x7f) return at
    if (isWellFormed || unit < 0xd800 || unit > 0xdfff) continue
    const isPair = unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
    if (!isPair) return at
    at++
  }
  return -1
}
