/** Whether a header can have the value (RFC 9110, 5.5). Spaces around it are mistakes of copying. */
export function isHeaderText(value: string): boolean {
  return /^[\x21-\x7e\x80-\xff](?:[\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/.test(value)
}
