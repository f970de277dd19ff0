/** JSON for people and programs: indented, without what steers a terminal. */
export function jsonText(data: unknown): string {
  return `${escaped(JSON.stringify(data, null, 2))}\n`
}

const steering = /\p{Cc}|\p{Bidi_Control}/gu
export const isSteering = (text: string) => /[^\P{Cc}\n\t]|\p{Bidi_Control}/u.test(text)

/**
 * What came from elsewhere must not steer the terminal: control characters, those of direction too, are shown, not
 * sent.
 */
export function printable(text: string): string {
  return text.replace(steering, (character) => {
    if (character === '\n' || character === '\t') return character
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(character)
  })
}

/** The same inside strings of JSON, and quoted ones of YAML: an escape there stands for the very character. */
export function escaped(quoted: string): string {
  return quoted.replace(steering, (character) => (/[\n\t]/.test(character) ? character : unicodeEscape(character)))
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
