/**
 * Notifications whose configs are too large carry URLs instead. Their result is a JSON object of the parts, and their
 * payload ends with places for the URLs, each naming its part, which are written in at each attempt.
 */

/** What stands in the place of a URL until then. */
export function partUrl(part: string): string {
  return `part:${part}`
}

/**
 * One or more places at the very end of `data`. What stands before them ends with a brace or belongs to no `…URL` of
 * ours, so that nothing which a customer chose can be taken for one.
 */
const places = /(?:"(\w+)URL":"part:\1",)?"(\w+)URL":"part:\2"}}$/

/** Longer than all places together. */
const endBytes = 200

/** Whether the payload has such places. */
export function hasPartUrls(payload: Buffer): boolean {
  return places.test(endOf(payload))
}

/** The payload with its URLs written in. They must need no escape in JSON, as signed URLs do not. */
export function withPartUrls(payload: Buffer, urlOf: (part: string) => string): Buffer {
  const end = places.exec(endOf(payload))?.[0] ?? ''
  const filled = end.replace(/"part:(\w+)"/g, (_, part: string) => JSON.stringify(urlOf(part)))
  return Buffer.concat([payload.subarray(0, payload.length - end.length), Buffer.from(filled)])
}

/** One byte a character, so that positions are those of the bytes. */
function endOf(payload: Buffer): string {
  return payload.toString('latin1', Math.max(0, payload.length - endBytes))
}
