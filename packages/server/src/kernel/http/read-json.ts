import { inputName } from './hostile-input.ts'
import type { Issue } from './problem.ts'
import { MalformedBody } from './problems.ts'

/** Keeps nothing between calls: each decodes a whole text. */
const utf8 = new TextDecoder('utf-8', { fatal: true })
const depthMax = 64
/** Ten megabytes can contain millions of values or keys, which would block every other request for seconds. */
const valuesMax = 200_000
const keysMax = 100_000
const keysOfObjectMax = 10_000

/**
 * Reads a JSON body (RFC 8259). Stricter than `JSON.parse`:
 *
 * - The text must be valid UTF-8 (8.1).
 * - No object may have a duplicate key (4), because two readers could see two different requests.
 * - Limits (9): 64 levels of nesting, 200,000 values, 100,000 keys, and 10,000 keys in one object.
 *
 * The last two are reported in `issues`, and the function returns undefined. The scan stops at the first of them,
 * before anything is built.
 *
 * @throws MalformedBody
 */
export function readJson(bytes: Buffer, issues: Issue[]): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    throw new MalformedBody({ detail: 'The body is not valid UTF-8.', cause })
  }
  try {
    // Before parsing: ten million brackets take the parser seconds.
    const issue = faultOf(text)
    if (issue === undefined) return JSON.parse(text)
    issues.push(issue)
    return undefined
  } catch (cause) {
    const reason =
      cause instanceof Error ? (/^(.*?)(?:, [".]| in JSON| at position|$)/s.exec(cause.message)?.[1] ?? '') : ''
    throw new MalformedBody({ detail: `The body is not valid JSON: ${reason}.`, cause })
  }
}

/**
 * Returns the first duplicate key, too deep nesting, or too many values or keys. In valid JSON, a scan of quotes and
 * brackets finds them.
 */
function faultOf(text: string): Issue | undefined {
  const open: (Set<string> | undefined)[] = []
  let values = 1
  let keysSeen = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: // [
        open.push(undefined)
        if (open.length > depthMax) return ofBody(`The body is nested deeper than ${depthMax} levels.`)
        break
      case 0x2c: // ,
        if (++values > valuesMax) return ofBody(`The body holds more than ${valuesMax} values.`)
        break
      case 0x7d: // }
      case 0x5d: // ]
        open.pop()
        break
      case 0x22: {
        const end = endOfString(text, at)
        let next = end + 1
        while (next < text.length && text.charCodeAt(next) <= 0x20) next++
        if (text.charCodeAt(next) === 0x3a && open.length > 0) {
          const written = text.slice(at + 1, end)
          const key = written.includes('\\') ? (JSON.parse(text.slice(at, end + 1)) as string) : written
          const keys = open.at(-1)
          if (keys?.has(key)) {
            const name = inputName([key])
            return {
              in: 'body',
              name,
              detail: `The key ${name} is given twice in one object.`,
              remedy: 'Give it once.',
            }
          }
          if (++keysSeen > keysMax) return ofBody(`The body holds more than ${keysMax} keys.`)
          if (keys && keys.size >= keysOfObjectMax)
            return ofBody(`An object of the body holds more than ${keysOfObjectMax} keys.`)
          if (keys) keys.add(key)
          else open[open.length - 1] = new Set([key])
        }
        at = end
      }
    }
  }
  return undefined
}

function ofBody(detail: string): Issue {
  return { in: 'body', name: 'body', detail, remedy: 'Send less in one request.' }
}

/** Returns the index of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
