import { createHash } from 'node:crypto'
import type { PathReader } from '../path.ts'
import { scalarText } from '../path.ts'

/** The last key of a query so far, and the records that have it. Travels in the page token. */
export interface Tail {
  key: string
  marks: string[]
}

/** More records of one key than this are delivered again. The token of a page must stay small. */
const marksMax = 1000

/** Returns the tail of a query after one more page, which ends with the given key. */
export function tailOf(read: PathReader, records: readonly unknown[], key: string, before?: Tail): Tail {
  const marks: string[] = before?.key === key ? [...before.marks] : []
  for (const record of records) {
    if (marks.length >= marksMax) break
    if (scalarText(read(record)) === key) marks.push(markOf(record))
  }
  return { key, marks }
}

/** Drops records that an earlier query ended with. One that has changed since then is kept. */
export function withoutTail(read: PathReader, records: readonly unknown[], tail: Tail | undefined): readonly unknown[] {
  if (tail === undefined) return records
  const known = new Set(tail.marks)
  return records.filter((record) => scalarText(read(record)) !== tail.key || !known.has(markOf(record)))
}

function markOf(record: unknown): string {
  return createHash('sha1').update(JSON.stringify(record)).digest('base64url').slice(0, 16)
}
