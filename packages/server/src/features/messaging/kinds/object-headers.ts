/**
 * Returns the headers by which a store keeps metadata with an object.
 *
 * @param prefix of the names of headers, such as `x-amz-meta-`
 */
export function metadataHeaders(prefix: string, metadata: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [`${prefix}${name.toLowerCase()}`, inAscii(value)]),
  )
}

/** Headers are ASCII: other characters are percent-encoded. */
function inAscii(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part))
}
