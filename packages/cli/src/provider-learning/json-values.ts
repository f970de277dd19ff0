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

/** Returns a text on one line, without control characters, marks of direction, and braces of templates, shortened. */
export function plainText(text: string, charactersMax = 160): string {
  const line = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+|[\ud800-\udfff]/gu, ' ')
    .replace(/\{\{|\}\}/g, ' ')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ')
  return line.length > charactersMax ? `${line.slice(0, charactersMax - 1).trimEnd()}…` : line
}

/** Returns a text without the characters `end` at its end. In a loop: the pattern for it takes quadratic time. */
export function withoutEnd(text: string, end: string): string {
  let length = text.length
  while (length > 0 && text[length - 1] === end) length--
  return text.slice(0, length)
}

/** Returns the first texts of a list, and how many more there are. */
export function shorten(texts: readonly string[], textsMax = 5): string {
  const more = texts.length - textsMax
  return `${texts.slice(0, textsMax).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}
