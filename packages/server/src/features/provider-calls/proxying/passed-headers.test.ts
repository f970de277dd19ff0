import { describe, expect, it } from 'vitest'
import { answerHeaders } from './passed-headers.ts'

const lines = ['Content-Type: text/plain', 'X-Hop: 1', 'Connection: x-hop', 'X-Name: caf\u00e9', 'Empty: ']

/** Cuts names and values out of one chunk, as the client's parser does. */
function inOneChunk(): Buffer[] {
  const chunk = Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\nbody`, 'latin1')
  let at = chunk.indexOf('\r\n') + 2
  return lines.flatMap((line) => {
    const end = at + line.length
    const colon = at + line.indexOf(':')
    const parts = [chunk.subarray(at, colon), chunk.subarray(colon + 2, end)]
    at = end + 2
    return parts
  })
}

const passed = ['X-Content-Type-Options', 'nosniff', 'Content-Type', 'text/plain', 'X-Name', 'caf\u00e9', 'Empty', '']

describe('the headers of a response', () => {
  it('in one chunk keep their bytes and the case of their names, without those of the connection', () => {
    expect(answerHeaders(inOneChunk())).toEqual(passed)
  })

  it('are the same, whichever of them came in two chunks', () => {
    const parts = inOneChunk()
    for (let split = 0; split < parts.length; split++)
      expect(answerHeaders(parts.map((part, at) => (at === split ? Buffer.concat([part]) : part)))).toEqual(passed)
    expect(answerHeaders(parts.map((part) => Buffer.concat([part])))).toEqual(passed)
  })

  it('may be none', () => {
    expect(answerHeaders([])).toEqual(['X-Content-Type-Options', 'nosniff'])
  })
})
