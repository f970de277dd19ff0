/** An object of a document that nobody has checked yet. */
export type Json = Record<string, unknown>

/** Returns the value if it is an object, otherwise an empty one. */
export function objectOf(value: unknown): Json {
  return isJson(value) ? value : {}
}

/** Returns the value if it is a list, otherwise an empty one. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the value if it is a text with something in it. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** Whether the value is an object and no list. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the object without the keys that have no value. */
export function defined(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}

/** Returns a text on one line, without control characters and braces that a template could be, shortened. */
export function plainText(text: string, charactersMax = 160): string {
  const line = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]+|[\ud800-\udfff]/gu, ' ')
    .replace(/\{\{|\}\}/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  return line.length > charactersMax ? `${line.slice(0, charactersMax - 1).trimEnd()}…` : line
}

/** Returns a text without the characters `end` at its end. In a loop: the pattern for it takes quadratic time. */
export function withoutEnd(text: string, end: string): string {
  let length = text.length
  while (length > 0 && text[length - 1] === end) length--
  return text.slice(0, length)
}
