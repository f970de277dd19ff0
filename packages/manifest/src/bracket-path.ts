/** One member of a path in RFC 9535 bracket notation (2.3.1, 2.5.1), with its quote and its raw text. */
const SEGMENT = /\[[ \t\n\r]*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")[ \t\n\r]*\][ \t\n\r]*/y
/** Far longer than any field; longer text is not a path. */
const PATH_LENGTH_MAX = 4096
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '/': '/', '\\': '\\' }

/**
 * The member names of a path of name selectors in bracket form, `$['a']["b"]` (RFC 9535), escapes resolved.
 * `undefined` where it is no such path: dotted form, index selectors and `$` alone are none.
 */
export function parseBracketPath(path: string): string[] | undefined {
  if (!path.startsWith('$') || path.length === 1 || path.length > PATH_LENGTH_MAX) return undefined
  const names: string[] = []
  SEGMENT.lastIndex = 1
  while (SEGMENT.lastIndex < path.length) {
    const match = SEGMENT.exec(path)
    if (match === null) return undefined
    const [, single, double = ''] = match
    const name = single !== undefined ? resolveEscapes(single, "'") : resolveEscapes(double, '"')
    if (name === undefined) return undefined
    names.push(name)
  }
  return names
}

/** The normalized path (RFC 9535, 2.7) of member names: `['a', "it's"]` is `$['a']['it\'s']`. */
export function formatBracketPath(names: readonly string[]): string {
  return `$${names.map((name) => `['${name.replace(/['\\\p{Cc}]/gu, escapeCharacter)}']`).join('')}`
}

/** `undefined` where an escape is none, a control character stands bare, or half a character is written. */
function resolveEscapes(raw: string, quote: string): string | undefined {
  if (/\p{Cc}/u.test(raw.replace(/[\x7F-\x9F]/g, ''))) return undefined
  let isValid = true
  const text = raw.replace(/\\(u[0-9A-Fa-f]{4}|.)/g, (_, code: string) => {
    if (code.length === 5) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    const plain = code === quote ? quote : ESCAPES[code]
    isValid &&= plain !== undefined
    return plain ?? ''
  })
  return isValid && text.isWellFormed() ? text : undefined
}

function escapeCharacter(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`
  const short = Object.entries(ESCAPES).find(([, plain]) => plain === character)?.[0]
  if (short !== undefined) return `\\${short}`
  const code = character.charCodeAt(0)
  return code < 0x20 ? `\\u${code.toString(16).padStart(4, '0')}` : character
}
