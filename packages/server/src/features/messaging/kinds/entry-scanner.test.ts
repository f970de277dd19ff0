import { describe, expect, it } from 'vitest'
import { EntryScanner } from './entry-scanner.ts'

const scanned = (parts: readonly Buffer[], bytesMax = 1_000) => {
  const scanner = new EntryScanner(bytesMax)
  return parts.flatMap((part) => scanner.push(part)).map((entry) => entry?.toString())
}

describe('the entries of a list', () => {
  const entries = ['{"a":"]},{\\"\\\\"}', '{"ü":["😀",[1,{}]]}', '[[]]', '"x,\\",]"', '12.50', 'null', '{}']
  const list = Buffer.from(`[${entries.join()}]`)

  it('are the same, wherever the list is cut', () => {
    expect(scanned([list])).toEqual(entries)
    for (let at = 0; at <= list.length; at++)
      expect(scanned([list.subarray(0, at), list.subarray(at)]), `at ${at}`).toEqual(entries)
    expect(scanned([...list].map((byte) => Buffer.of(byte)))).toEqual(entries)
  })

  it('that are too large are skipped, and what follows is not', () => {
    const large = JSON.stringify('x'.repeat(50))
    for (const size of [1, 7, 500]) {
      const bytes = Buffer.from(`[1,${large},2,${large}]`)
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      )
      expect(scanned(parts, 20)).toEqual(['1', undefined, '2', undefined])
    }
  })

  it('end with the list', () => {
    expect(scanned([Buffer.from('[1,2]}')])).toEqual(['1', '2'])
    expect(scanned([Buffer.from('[]')])).toEqual([])
    expect(scanned([Buffer.from('[1,2')])).toEqual(['1'])
  })
})
