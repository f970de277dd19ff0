import { inputName } from './hostile-input.ts'
import type { Issue } from './problem.ts'
import { MalformedBody } from './problems.ts'

/**
 * Reads a JSON body (RFC 8259). Stricter than `JSON.parse` in two ways: the text must be UTF-8 without faults (8.1), and no object
 * may hold a key twice (4: what such an object means is unpredictable, and two readers would see two different requests), which
 * becomes one of `issues` and answers undefined.
 *
 * @throws MalformedBody
 */
export function readJson(bytes: Buffer, issues: Issue[]): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new MalformedBody({ detail: 'The body is not valid UTF-8.', cause })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new MalformedBody({ detail: `The body is not valid JSON${place(text, cause)}.`, cause })
  }
  const twice = keyGivenTwice(text)
  if (twice === undefined) return value
  const name = inputName([twice])
  issues.push({ in: 'body', name, detail: `The key ${name} is given twice in one object.`, remedy: 'Give it once.' })
  return undefined
}

function place(text: string, error: unknown): string {
  const at = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
  if (at === undefined) return ''
  const lines = text.slice(0, Number(at)).split('\n')
  return `: line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

/** The first key that an object holds twice. `text` is known to be valid JSON, so that a glance at quotes and brackets is enough. */
function keyGivenTwice(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: // [
        open.push(undefined)
        break
      case 0x7d: // }
      case 0x5d: // ]
        open.pop()
        break
      case 0x22: {
        const end = endOfString(text, at)
        let next = end + 1
        while (next < text.length && text.charCodeAt(next) <= 0x20) next++
        if (text.charCodeAt(next) === 0x3a) {
          const written = text.slice(at + 1, end)
          const key = written.includes('\\') ? (JSON.parse(text.slice(at, end + 1)) as string) : written
          const keys = open.at(-1)
          if (keys?.has(key)) return key
          if (keys) keys.add(key)
          else open[open.length - 1] = new Set([key])
        }
        at = end
      }
    }
  }
  return undefined
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
