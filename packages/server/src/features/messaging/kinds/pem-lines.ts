/** The lines of a key in PEM that have its content, for a receiver may echo a part of it. */
export function pemLines(pem: string): string[] {
  return pem
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length > 20 && !line.startsWith('-'))
}
