import { createHash } from 'node:crypto'

/** The parts of a data message, as `data-message.ts` writes them. */
interface MessageParts {
  /** From the beginning of the message up to its `resultInfo`. */
  header: string
  /** The records, each as JSON text. Undefined if they are not in the message. */
  entries: string[] | undefined
}

const infoKey = ',"resultInfo":{'
const resultKey = '},"result":['

/**
 * Splits a message into its header and its records, whose bytes stay as they are. Neither key can be in a value before
 * it: there, quotation marks are escaped.
 *
 * @returns undefined if the message has no records
 */
export function partsOfMessage(payload: Buffer): MessageParts | undefined {
  const text = payload.toString()
  const info = text.indexOf(infoKey)
  if (info < 0) return undefined
  const header = text.slice(0, info)
  const result = text.indexOf(resultKey, info)
  if (result < 0) return { header, entries: undefined }
  return { header, entries: arrayEntries(text, result + resultKey.length) }
}

/** Whether a message has all of some records in it, by their positions. */
export function hasEntries(payload: Buffer, positions: readonly number[]): boolean {
  const count = partsOfMessage(payload)?.entries?.length ?? 0
  return positions.length > 0 && positions.every((at) => at < count)
}

/** Returns a message of some records of another. */
export function messageOf(header: string, entries: readonly string[]): Buffer {
  return Buffer.from(
    `${header}${infoKey}"type":"inline","numRecords":${entries.length}},"result":[${entries.join(',')}]}`,
  )
}

/** Returns a message whose only record is fetched by a URL, which each attempt fills in. */
export function messageByUrl(header: string): Buffer {
  return Buffer.from(`${header}${infoKey}"type":"url","numRecords":1,"downloadUrl":""}}`)
}

/** Returns the texts of the entries of a JSON array that begins at a position, in one pass. */
function arrayEntries(text: string, start: number): string[] {
  const entries: string[] = []
  let [depth, from, isText] = [0, start, false]
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (isText) {
      if (char === '\\') at++
      else if (char === '"') isText = false
    } else if (char === '"') isText = true
    else if (char === '{' || char === '[') depth++
    else if (depth > 0) {
      if (char === '}' || char === ']') depth--
    } else if (char === ',' || char === ']') {
      if (at > from) entries.push(text.slice(from, at))
      from = at + 1
      if (char === ']') break
    }
  }
  return entries
}

/**
 * Returns the id of the message of a record that was split from another message. It has the time of that message, so it
 * is older than every later message of the record, and it is always the same, so that a replay splits nothing twice.
 */
export function splitId(messageId: string, entry: number): string {
  const hash = createHash('sha256').update(`${messageId} ${entry}`).digest('hex')
  return messageId.slice(0, -10) + hash.slice(0, 10)
}
