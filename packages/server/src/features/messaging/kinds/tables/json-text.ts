/**
 * Writes JSON that a database takes: none takes half of a surrogate pair, and most take no NUL. Both become U+FFFD.
 *
 * @param options.keepsNul whether the database takes NUL
 */
export function jsonText(value: unknown, { keepsNul = false }: { keepsNul?: boolean } = {}): string {
  const text = JSON.stringify(value)
  if (!(keepsNul ? halfPair : nulOrHalfPair).test(text)) return text
  const clean = keepsNul ? (part: string) => part.toWellFormed() : cleanText
  return JSON.stringify(value, (_, part: unknown) => cleaned(part, clean))
}

const halfPair = /\\ud[89a-f]/i
const nulOrHalfPair = /\\u(?:0000|d[89a-f])/i

function cleaned(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [clean(name), part]))
}

/** Text without NUL and halves of surrogate pairs. */
export const cleanText = (text: string): string =>
  text.includes('\u0000') || !text.isWellFormed() ? text.replaceAll('\u0000', '\ufffd').toWellFormed() : text
