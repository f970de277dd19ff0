import TinyQueue from 'tinyqueue'
import { chunkSize } from './id-chunk.ts'

/** A sorted list of ids that is loaded chunk by chunk. */
export interface SortedIds {
  /** Returns the next chunk; undefined after the last one. */
  next(): Promise<string[] | undefined>
}

/** The order of sorted lists: by UTF-16 code units, as `Array.sort` has it. */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/**
 * Merges a few sorted lists. Calls `each` once for every id, in order, with the bits of the lists that contain it.
 * Keeps one chunk of each list in memory. Waits for what `each` returns, if it returns a promise.
 */
export async function mergeIds(
  lists: readonly { bit: number; ids: SortedIds }[],
  each: (id: string, bits: number) => Promise<void> | undefined,
): Promise<void> {
  const cursors: { bit: number; cursor: Cursor }[] = []
  for (const { bit, ids } of lists) {
    const cursor = await Cursor.open(ids)
    if (cursor.id !== undefined) cursors.push({ bit, cursor })
  }
  while (cursors.length > 0) {
    let id: string | undefined
    let bits = 0
    for (const { bit, cursor } of cursors) {
      const next = cursor.id
      if (next === undefined) continue
      if (next === id) bits |= bit
      else if (id === undefined || next < id) {
        id = next
        bits = bit
      }
    }
    if (id === undefined) return
    for (const { bit, cursor } of cursors) {
      if ((bits & bit) === 0) continue
      // A list may contain an id twice.
      do if (!cursor.advance()) await cursor.load()
      while (cursor.id === id)
    }
    const work = each(id, bits)
    if (work) await work
  }
}

/** Returns many sorted lists as one, without ids that are there twice. Keeps one chunk of each list in memory. */
export function mergedList(lists: readonly SortedIds[]): SortedIds {
  let queue: TinyQueue<Cursor> | undefined
  let last: string | undefined
  return {
    async next() {
      queue ??= new TinyQueue(await openAll(lists), (a, b) => compareIds(a.id ?? '', b.id ?? ''))
      const chunk: string[] = []
      let first = queue.pop()
      while (first?.id !== undefined && chunk.length < chunkSize) {
        if (first.id !== last) chunk.push(first.id)
        last = first.id
        if (!first.advance()) await first.load()
        // Lists often follow one another, so the same one mostly has the next id, too.
        const second = queue.peek()
        if (first.id === undefined) first = queue.pop()
        else if (second?.id !== undefined && second.id < first.id) {
          queue.push(first)
          first = queue.pop()
        }
      }
      if (first?.id !== undefined) queue.push(first)
      return chunk.length > 0 ? chunk : undefined
    },
  }
}

async function openAll(lists: readonly SortedIds[]): Promise<Cursor[]> {
  const cursors: Cursor[] = []
  for (const list of lists) {
    const cursor = await Cursor.open(list)
    if (cursor.id !== undefined) cursors.push(cursor)
  }
  return cursors
}

/** A place in a sorted list. */
class Cursor {
  /** The id at this place; undefined at the end. */
  id: string | undefined
  readonly #list: SortedIds
  #ids: string[] = []
  #at = 0

  private constructor(list: SortedIds) {
    this.#list = list
  }

  static async open(list: SortedIds): Promise<Cursor> {
    const cursor = new Cursor(list)
    await cursor.load()
    return cursor
  }

  /** Moves to the next id. Returns false at the end of the chunk: then call `load`. A promise for each id is slow. */
  advance(): boolean {
    this.id = this.#ids[++this.#at]
    return this.id !== undefined
  }

  async load(): Promise<void> {
    do {
      const ids = await this.#list.next()
      if (ids === undefined) {
        this.id = undefined
        return
      }
      this.#ids = ids
      this.#at = 0
      this.id = ids[0]
    } while (this.id === undefined)
  }
}
