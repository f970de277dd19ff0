/**
 * Returns the bound of an LRU cache as options of `LRUCache`. Unlike its `max`, this reserves no memory for entries
 * that may never come: the caches of a service would take 60 ms and several megabytes at each start.
 */
export function entriesAtMost(entries: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 }
}
