const lengthMax = 100

/**
 * Returns a text of a provider for a definition that models read as instructions: one short line, without control,
 * format and private characters, and without what could end the quotes around it. Undefined if nothing is left.
 */
export function safeText(text: string, max = lengthMax): string | undefined {
  const line = text
    .slice(0, 4 * max)
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .replace(/["“”„«»<>`{}[\]\\]/g, '')
    .trim()
  if (line === '') return undefined
  const characters = [...line]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : line
}

/** Whether a value can be listed in a definition as it is. */
export function isSafeValue(value: string): boolean {
  return value.length <= 80 && !/[\p{C}\u2028\u2029]/u.test(value)
}
