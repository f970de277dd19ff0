/** `1 record`, `20,000 records`. */
export function pluralize(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
