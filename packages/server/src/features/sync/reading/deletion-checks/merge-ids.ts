import TinyQueue from 'tinyqueue'

/** A sorted list of ids that is loaded chunk by chunk. */
export interface SortedIds {
  /** A bit that names the list, or the lists of a kind. */
  bit: number
  /** Returns the next chunk; undefined after the last one. */
  next(): Promise<string[] | undefined>
}

interface Cursor {
  ids: string[]
  at: number
  list: SortedIds
}

/**
 * Merges sorted lists. Calls `each` once for every id, in order, with the bits of the lists that contain it. Keeps one
 * chunk of each list in memory. Waits for what `each` returns, if it returns a promise.
 */
export async function mergeIds(
  lists: readonly SortedIds[],
  each: (id: string, bits: number) => Promise<void> | undefined,
): Promise<void> {
  const cursors: Cursor[] = []
  for (const list of lists) {
    const ids = await nextChunk(list)
    if (ids) cursors.push({ ids, at: 0, list })
  }
  const queue = new TinyQueue(cursors, (a, b) => compareIds(idAt(a), idAt(b)))
  for (let first = queue.pop(); first !== undefined; first = queue.pop()) {
    const id = idAt(first)
    let bits = 0
    for (let same: Cursor | undefined = first; same !== undefined; same = popIf(queue, id)) {
      bits |= same.list.bit
      if (await hasNext(same)) queue.push(same)
    }
    const work = each(id, bits)
    if (work) await work
  }
}

/** The order of sorted lists: by UTF-16 code units, as `Array.sort` has it. */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function idAt({ ids, at }: Cursor): string {
  return ids[at] ?? ''
}

function popIf(queue: TinyQueue<Cursor>, id: string): Cursor | undefined {
  const first = queue.peek()
  return first !== undefined && idAt(first) === id ? queue.pop() : undefined
}

/** Moves a cursor. A promise for each id would cost more than the merge, so it returns one only to load a chunk. */
function hasNext(cursor: Cursor): boolean | Promise<boolean> {
  cursor.at++
  return cursor.at < cursor.ids.length || loadNext(cursor)
}

async function loadNext(cursor: Cursor): Promise<boolean> {
  const ids = await nextChunk(cursor.list)
  cursor.ids = ids ?? []
  cursor.at = 0
  return ids !== undefined
}

async function nextChunk(list: SortedIds): Promise<string[] | undefined> {
  for (;;) {
    const ids = await list.next()
    if (ids === undefined || ids.length > 0) return ids
  }
}
