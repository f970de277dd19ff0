/** Returns the millisecond in which an id (UUIDv7, RFC 9562) was made. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}
