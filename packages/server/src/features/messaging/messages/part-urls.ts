/**
 * Notifications whose configs are too large contain URLs instead. Their result is a JSON object of the parts. Their
 * payload ends with a placeholder for each URL, which names its part. Each attempt fills in the URLs.
 */

/** Returns the placeholder of a URL. */
export function partUrl(part: string): string {
  return `part:${part}`
}

/**
 * Matches one or two placeholders at the very end of `data`. The text before them ends with a brace or with a key that
 * is not one of the `…URL` keys, so that no value of a customer can match.
 */
const placeholders = /(?:"(\w+)URL":"part:\1",)?"(\w+)URL":"part:\2"}}$/

/** Maximum length of all placeholders together. */
const endBytes = 200

/** Whether the payload has placeholders. */
export function hasPartUrls(payload: Buffer): boolean {
  return placeholders.test(endOf(payload))
}

/** Fills in the URLs of a payload. They must need no escape in JSON, as signed URLs do not. */
export function withPartUrls(payload: Buffer, urlOf: (part: string) => string): Buffer {
  const end = placeholders.exec(endOf(payload))?.[0] ?? ''
  const filled = end.replace(/"part:(\w+)"/g, (_, part: string) => JSON.stringify(urlOf(part)))
  return Buffer.concat([payload.subarray(0, payload.length - end.length), Buffer.from(filled)])
}

/** Decodes one character per byte, so that positions in the text are those of the bytes. */
function endOf(payload: Buffer): string {
  return payload.toString('latin1', Math.max(0, payload.length - endBytes))
}
