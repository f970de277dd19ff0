/**
 * Characters that a terminal or a page does not show as themselves: control characters (C0, DEL, C1), format characters
 * (bidirectional controls, zero-width characters, byte order mark, tags) and the line and paragraph separators.
 */
const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/u
const everyHidden = new RegExp(hidden, 'gu')

/** Returns whether a text contains characters that can hide or reorder what is shown of it. */
export function hasHiddenCharacters(text: string): boolean {
  return hidden.test(text)
}

/** Writes hidden characters as `\u{202e}`, so that a message cannot be reordered or colored by a name in it. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(everyHidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`)
}

/** Returns the first 100 characters of a name in quotation marks, for a message. */
export function quoted(name: string): string {
  return `"${visible(name.slice(0, 100))}"`
}
